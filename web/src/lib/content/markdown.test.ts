// @vitest-environment node
import type { Root } from 'hast'
import rehypeRaw from 'rehype-raw'
import { unified } from 'unified'
import { visit } from 'unist-util-visit'
import { expect, test } from 'vitest'
import { renderMarkdown } from './markdown'

const html = async (markdown: string) => (await renderMarkdown(markdown)).html

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
  ['attributes of a callout', ':::note{onclick="alert(1)" style="x"}\nBody.\n:::'],
  ['a class of its own', '<p class="cta">x</p>'],
]

/** All that articles are made of; whatever runs, loads or restyles something is not among it. */
const elements =
  /^(p|a|img|details|summary|pre|code|i|div|span|aside|section|h2|ul|ol|li|em|strong|br)$/
const properties =
  /^(href|src|title|alt|className|tabIndex|role|ariaLabel|open|id)$/

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

test('keeps tables, aligned and reachable by the keyboard', async () => {
  const table = await html('| a | b |\n| --- | ---: |\n| 1 | 2 |')
  expect(table).toContain('<div class="table" tabindex="0" role="region" aria-label="Table">')
  expect(table).toContain('<td align="right">2</td>')
})

test('names tables after the heading above them', async () => {
  const table = '| a |\n| --- |\n| 1 |'
  const markdown = `## Costs\n\n${table}\n\nText.\n\n${table}\n\n### After \`x\`\n\n${table}`
  const names = [...(await html(markdown)).matchAll(/aria-label="([^"]*)"/g)].map(([, name]) => name)
  expect(names).toEqual(['Costs', 'Costs (2)', 'After x'])
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

test('what is below a first screen is marked, at the top level alone', async () => {
  const items = '- one\n- two\n\n'
  const rendered = await html('Text.\n\n'.repeat(9) + items + 'Text.\n\n- three\n')
  expect(rendered.match(/<\w+ data-below="">/g)).toEqual(['<p data-below="">', '<ul data-below="">'])
  expect(rendered).toContain('<p data-below="">Text.</p>')
})
