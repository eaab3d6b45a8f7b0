// @vitest-environment node
import { expect, test } from 'vitest'
import { renderMarkdown } from './markdown'

const html = async (markdown: string) => (await renderMarkdown(markdown)).html

test.each([
  ['a script', '<script>alert(1)</script>'],
  ['an event handler', '<img src="x" onerror="alert(1)">'],
  ['a script address', '[x](javascript:alert(1))'],
  ['a frame', '<iframe src="https://example.com"></iframe>'],
  ['a style', '<p style="position:fixed">x</p>'],
  ['an svg with a script', '<svg><script>alert(1)</script></svg>'],
  ['markup in code', '```swift\nlet a = "</code><script>alert(1)</script>"\n```'],
  ['a class of its own', '<p class="cta">x</p>'],
])('takes %s out', async (_, markdown) => {
  expect(await html(markdown)).not.toMatch(/<script|onerror|javascript:|<iframe|style=|<svg|class="cta"/)
})

test('keeps tables, aligned and reachable by the keyboard', async () => {
  const table = await html('| a | b |\n| --- | ---: |\n| 1 | 2 |')
  expect(table).toContain('<div class="table" tabindex="0" role="region" aria-label="Table">')
  expect(table).toContain('<td align="right">2</td>')
})

test('makes callouts and calls to action', async () => {
  const note = await html(':::note[Look]\nBody.\n:::')
  expect(note).toContain('<aside class="callout"><p class="callout-title">Look</p><p>Body.</p>')
  expect(await html(':::cta[Go]\n[Join](/#join)\n:::')).toContain('<aside class="cta">')
})

test('lists the second-level headings', async () => {
  const { html, headings } = await renderMarkdown('# No\n\n## One `two`\n\n### No\n\n## Three')
  expect(headings).toEqual([
    { id: 'one-two', text: 'One two' },
    { id: 'three', text: 'Three' },
  ])
  expect(html).toContain('<h2 id="one-two">')
})

test('colours code and escapes it', async () => {
  const code = await html('```swift\nlet set: Set<Int> = []\n```')
  expect(code).toContain('<i class=k>let</i>')
  expect(code).toContain('&lt;')
  expect(code).not.toContain('<Int>')
})
