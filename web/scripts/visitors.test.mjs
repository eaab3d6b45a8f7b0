// @vitest-environment node
import { describe, expect, test } from 'vitest'
import { rebased, toStatic } from './visitors.mjs'
import { isVisitors } from './pages.mjs'

/** A page as Next exports it, with `body` and `head` of its own. */
function exported({ head = '', body = '<main>Text</main>' } = {}) {
  return (
    '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"/>' +
    '<link data-precedence="next" href="/_next/static/chunks/a.css" rel="stylesheet"/>' +
    '<link rel="preload" as="script" fetchpriority="low" href="/_next/static/chunks/b.js"/>' +
    '<link rel="preload" as="font" href="/_next/static/media/f.woff2" crossorigin=""/>' +
    `<script src="/_next/static/chunks/c.js" async=""></script><title>Blog</title>${head}</head><body>${body}` +
    '<script data-inline="load-islands">load()</script>' +
    '<script>(self.__next_f=self.__next_f||[]).push([0])</script>' +
    '<script>self.__next_f.push([1,"1:x"])</script></body></html>'
  )
}

const convert = (html) =>
  toStatic(html, {
    readSheet: async (href) => `/* ${href} */ .a>b{color:red}`,
    script: '/_next/static/islands/x.js',
  })

test("Next's run-time leaves, the style moves into the page, and one script comes", async () => {
  const html = await convert(exported())
  expect(html).not.toMatch(/chunks\/[bc]\.js|__next_f|rel="stylesheet"/)
  expect(html).toContain('<style>/* /_next/static/chunks/a.css */ .a>b{color:red}</style>')
  expect(html.match(/<script/g)).toHaveLength(1)
  expect(html).toContain(
    '<script data-inline="load-islands" data-islands="/_next/static/islands/x.js">load()</script>',
  )
  expect(html).toContain('f.woff2')
  expect(html).toContain('<main>Text</main>')
})

test('structured data, data of the page and inline scripts of ours stay to the letter', async () => {
  const own = [
    '<script type="application/ld+json">{"a":"<\\/b> & c"}</script>',
    '<script type="application/json" id="site">{"name":"A & B"}</script>',
    '<script data-inline="retry-scripts">(()=>{1<2&&3})()</script>',
  ]
  const html = await convert(exported({ head: own.join('') }))
  for (const script of own) expect(html).toContain(script)
})

test('markup that an island hydrates is kept, comments between texts included', async () => {
  const island =
    '<fledge-island data-name="header" data-props="{&#x22;a&#x22;:1}"><p>a<!-- -->b</p></fledge-island>'
  expect(await convert(exported({ body: island }))).toContain('<p>a<!-- -->b</p></fledge-island>')
})

describe('what it does not understand stops the build', () => {
  const cases = {
    'a script of somebody else': [
      { head: '<script src="https://x.test/a.js"></script>' },
      /unknown script/,
    ],
    'an inline script that nobody knows': [
      { body: '<script>alert(1)</script>' },
      /unknown inline script alert/,
    ],
    'content that a script would move into place': [
      { body: '<template id="B:0"></template><div hidden id="S:0">Text</div>' },
      /Suspense/,
    ],
    'a class that is missing': [{ body: '<p class="a undefined"></p>' }, /a class is missing/],
    'an id that React made up, in an island': [
      { body: '<fledge-island data-name="header"><p id="_R_1_"></p></fledge-island>' },
      /useId/,
    ],
    'a second title': [{ head: '<title>Again</title>' }, /2 titles/],
  }
  test.each(Object.entries(cases))('%s', async (_, [parts, error]) => {
    await expect(convert(exported(parts))).rejects.toThrow(error)
  })

  test('a page without a title', async () => {
    await expect(convert(exported().replace(/<title>.*<\/title>/, ''))).rejects.toThrow(/0 titles/)
  })

  test('a page that is no export of Next', async () => {
    await expect(convert('<title>Blog</title><main>Text</main>')).rejects.toThrow(
      /no script of Next/,
    )
  })

  test('a page that does not load its islands', async () => {
    const html = exported().replace(/<script data-inline="load.*?<\/script>/, '')
    await expect(convert(html)).rejects.toThrow(/0 scripts that load/)
  })

  test('a page without a style sheet', async () => {
    const html = exported().replace(/<link data-precedence[^>]*>/, '')
    await expect(convert(html)).rejects.toThrow(/no style sheet/)
  })
})

test('addresses in a style sheet lead to the same files from any page', () => {
  const css =
    'a{src:url(../media/a.woff2),url("../media/b.svg")}b{src:url(data:x),url(/d.png),url(#e)}' +
    `c{src:url("data:x,<a b='c'/>"),url("/d.png"),url('#e')}`
  expect(rebased(css, '/_next/static/chunks/a.css')).toBe(
    'a{src:url(/_next/static/media/a.woff2),url("/_next/static/media/b.svg")}b{src:url(data:x),url(/d.png),url(#e)}' +
      `c{src:url("data:x,<a b='c'/>"),url("/d.png"),url('#e')}`,
  )
})

test("visitors' pages are those of the route group (site), by Next's own list", () => {
  const modules = {
    '/(site)/page': '/',
    '/(site)/blog/[slug]/page': '/blog/[slug]',
    '/(app)/(shell)/profile/page': '/profile',
    '/_not-found/page': '/_not-found',
  }
  const routes = ['/', '/blog/a-b', '/404', '/blog', '/blog/a/b', '/profile']
  expect(routes.filter((route) => isVisitors(route, modules))).toEqual(['/', '/blog/a-b', '/404'])
})
