// @vitest-environment node
import type { Root } from 'hast'
import rehypeRaw from 'rehype-raw'
import { unified } from 'unified'
import { visit } from 'unist-util-visit'
import { expect, test } from 'vitest'
import { site } from '@/config/site'
import { renderForFeed, renderMarkdown } from './markdown'
import { toSource } from './source'

const render = (markdown: string) => renderMarkdown(toSource('blog/x.md', markdown))
const html = async (markdown: string) => (await render(markdown)).html

const hostile: [string, string][] = [
  ['a script', '<script>alert(1)</script>'],
  ['a script in capitals, unclosed', '<SCRIPT SRC=//evil.example/x.js>'],
  ['a nested script', '<scr<script>ipt>alert(1)</scr</script>ipt>'],
  ['an event handler', '<img src="x" onerror="alert(1)">'],
  ['an event handler behind a slash', '<img/src=x/onload=alert(1)>'],
  ['an event handler on an open element', '<details open ontoggle="alert(1)">x</details>'],
  ['a script address', '[x](javascript:alert(1))'],
  ['a script address in markup', '<a href=" JaVaScRiPt:alert(1)">x</a>'],
  ['a script address with a tab', '<a href="java&#9;script:alert(1)">x</a>'],
  ['a script address of a reference', '[x]\n\n[x]: javascript:alert(1)'],
  ['an old script address', '<a href="vbscript:msgbox(1)">x</a>'],
  ['a page in an address', '<a href="data:text/html,<script>alert(1)</script>">x</a>'],
  ['a frame', '<iframe src="https://example.com" srcdoc="<script>alert(1)</script>"></iframe>'],
  ['an object', '<object data="x.swf"></object><embed src="x.swf">'],
  ['a style', '<p style="position:fixed">x</p>'],
  ['a style with an expression', '<p style="width:expression(alert(1))">x</p>'],
  ['a style sheet', '<style>@import "//evil.example";</style><link rel="stylesheet" href="//e">'],
  ['another base', '<base href="https://evil.example/">'],
  ['a form', '<form action="https://evil.example"><input name=q><button>Go</button></form>'],
  ['a refresh', '<meta http-equiv="refresh" content="0;url=https://evil.example">'],
  ['an svg with a script', '<svg onload="alert(1)"><script>alert(1)</script></svg>'],
  ['an svg with a link', '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>'],
  ['maths that turn into markup', '<math><mtext><mglyph><style><img src onerror=alert(1)>'],
  ['a template', '<template><img src=x onerror=alert(1)></template>'],
  ['a comment that ends early', '<!--><img src=x onerror=alert(1)>-->'],
  ['an attribute that ends early', '<p title="</p><script>alert(1)</script>">x</p>'],
  ['markup in code', '```swift\nlet a = "</code><script>alert(1)</script>"\n```'],
  ['markup as a language', '```"><script>alert(1)</script>\nx\n```'],
  ['markup in a callout', ':::note[<img src=x onerror=alert(1)>]\n<script>alert(1)</script>\n:::'],
  ['attributes of what is no callout', ':note[x]{onclick="alert(1)" style="x"}'],
  ['a class of its own', '<p class="cta">x</p>'],
]

/** All that articles are made of; whatever runs, loads or restyles something is not among it. */
const elements =
  /^(p|a|img|details|summary|pre|code|i|div|span|aside|section|h2|ul|ol|li|em|strong|br)$/
const properties =
  /^(href|src|title|alt|className|tabIndex|role|ariaLabel|open|id|translate)$/

/** The elements of `text`, as the parser of browsers sees them. */
function parsed(text: string): Root {
  const raw = { type: 'raw', value: text } as unknown as Root['children'][number]
  return unified().use(rehypeRaw).runSync({ type: 'root', children: [raw] }) as Root
}

test.each(hostile)('takes %s out', async (_, markdown) => {
  visit(parsed(await html(`Before.\n\n${markdown}\n\nAfter.`)), 'element', (node) => {
    expect(node.tagName).toMatch(elements)
    for (const [name, value] of Object.entries(node.properties)) {
      expect(name).toMatch(properties)
      expect(String(value)).not.toMatch(/^\s*(javascript|vbscript|data):|^cta$/i)
    }
  })
})

test('tables are aligned, and their cells name their columns where they are stacked', async () => {
  const table = await html('| a | `b` |\n| --- | ---: |\n| 1 | 2 |')
  expect(table).toContain('<table role="table">')
  expect(table).toContain('<tr role="row">')
  expect(table).toContain('<th align="right" role="columnheader"><code>b</code></th>')
  expect(table).toContain('<td role="cell" data-column="a">1</td>')
  expect(table).toContain('<td align="right" role="cell" data-column="b">2</td>')
})

test('makes callouts and calls to action', async () => {
  const note = await html(':::note[Look]\nBody.\n:::')
  expect(note).toContain('<aside class="callout"><p class="callout-title">Look</p><p>Body.</p>')
  expect(await html(':::cta[Go]\n[Join](/#join)\n:::')).toContain('<aside class="cta">')
})

test('lists the second-level headings', async () => {
  const { html, headings } = await render('# No\n\n## One `two`\n\n### No\n\n## Three')
  expect(headings).toEqual([
    { id: 'one-two', text: 'One two' },
    { id: 'three', text: 'Three' },
  ])
  expect(html).toContain('<h2 id="one-two">')
})

test('lists the questions and their answers, without the call to action', async () => {
  const { questions } = await render(
    [
      '### Before?\n\nNo.',
      '## Frequently asked questions',
      '### Is it *free*?\n\nYes, [it is](/x).\n\n- one\n- two',
      '### And {name}?\n\nToo.\n\n:::cta[Join]\nNow.\n:::',
      '## After\n\n### Later?\n\nNo.',
    ].join('\n\n'),
  )
  expect(questions).toEqual([
    { question: 'Is it free?', answer: 'Yes, it is.\none\ntwo' },
    { question: `And ${site.name}?`, answer: 'Too.' },
  ])
  expect((await render('## Other')).questions).toEqual([])
})

test.each([
  ['Text.\n\n:::nonsense[Look]\nBody.\n:::', 'content/blog/x.md:3:1-5:4: unknown directive :::nonsense'],
  [':::constructor\nBody.\n:::', 'content/blog/x.md:1:1-3:4: unknown directive :::constructor'],
  [':::note{.wide}\nBody.\n:::', 'content/blog/x.md:1:1-3:4: :::note takes no attributes'],
  ['Text.\n\nMore {oops}.', 'content/blog/x.md:3:1-3:13: unknown name {oops}'],
  ['{constructor}', 'unknown name {constructor}'],
  ['[x](mailto:{oops})', 'content/blog/x.md:1:1-1:19: unknown name {oops}'],
])('%j stops the build, with file and line', async (markdown, reason) => {
  await expect(html(`${markdown}\n`)).rejects.toThrow(reason)
})

test('puts names into texts and links, not into code or the ids of headings', async () => {
  expect(await html('Ask `{name}`, {name}.')).toBe(`<p>Ask <code>{name}</code>, ${site.name}.</p>`)
  expect(await html('```swift\nlet x = {oops}\n```')).toContain('{oops}')
  expect(await html('[{privacyEmail}](mailto:{privacyEmail})')).toBe(
    `<p><a href="mailto:${site.emails.privacy}">${site.emails.privacy}</a></p>`,
  )
  expect(await html('## Why {name}?')).toBe(`<h2 id="why-name">Why ${site.name}?</h2>`)
})

test('links of a feed are absolute, and it has no markup of the page', async () => {
  const source = toSource(
    'blog/x.md',
    '---\ntitle: T\n---\n[a](/#join) [b](#part) [c](https://example.com/) ![d](/d.png)\n\n| e |\n| - |\n| 1 |',
  )
  const feed = await renderForFeed(source, '/blog/x')
  expect(feed).toContain(
    `<p><a href="${site.origin}/#join">a</a> <a href="${site.origin}/blog/x#part">b</a> ` +
      `<a href="https://example.com/">c</a> <img src="${site.origin}/d.png" alt="d"></p>`,
  )
  expect(feed).not.toContain('title: T')
  expect(feed).not.toMatch(/ (role|data-\w+)=/)
})

test('colours code and escapes it', async () => {
  const code = await html('```swift\nlet set: Set<Int> = []\n```')
  expect(code).toContain('<i class=k>let</i>')
  expect(code).toContain('&lt;')
  expect(code).not.toContain('<Int>')
})
