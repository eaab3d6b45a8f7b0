// @vitest-environment node
import { expect, test } from 'vitest'
import { holdScripts } from './first-paint.mjs'
import {
  holdFonts,
  linkOnce,
  placeStyle,
  sheetsOf,
  splitFonts,
  splitPreloaded,
  usedFonts,
  usedRules,
} from './style.mjs'

const page =
  '<html><head><link rel="preload" href="/f.woff2" as="font" crossorigin=""/>' +
  '<link rel="stylesheet" href="/a.css" data-precedence="next"/><link rel="stylesheet" href="/b.css" data-precedence="next"/>' +
  '<link rel="preload" as="script" href="/s.js"/><script src="/s.js" async=""></script></head><body class="page"><p>Text</p>' +
  '<script>inline()</script><script type="module" src="/m.js"></script><script src="/old.js" noModule=""></script></body></html>'

test('modules are held, in their order', () => {
  const html =
    '<script type="module" src="/m.js"></script><script type="module" src="/n.js"></script>'
  expect(holdScripts(html)).toBe(
    '<script type="text/held" src="/m.js"></script><script type="text/held" src="/n.js"></script>',
  )
})

const web = '@font-face{font-family:web;src:url(/f.woff2)format("woff2")}'
const local = "@font-face{font-family:stand-in;src:local('Arial')}"

test('web fonts are apart from the rules, fonts of the machine are not', () => {
  const { rules, fonts } = splitFonts(`a{color:red}${web}${local}b{color:blue}`)
  expect(fonts).toBe(web)
  expect(rules).toBe(`a{color:red}${local}b{color:blue}`)
})

test('a page has the fonts that its text is set in', () => {
  const mono = '@font-face{font-family:mono;src:url(/m.woff2)}'
  const names = ':root{--font-a:web;--font-b:var(--font-a),Arial;--font-c:mono}'
  expect(usedFonts(`${names}${local}p{margin:0;font-family:var(--font-b)}`, web + mono)).toBe(web)
  expect(usedFonts(`${names}p{font:1rem mono}`, web + mono)).toBe(mono)
})

test('a font that is not preloaded stays where it is', () => {
  const mono = '@font-face{font-family:mono;src:url(/m.woff2)}'
  expect(splitPreloaded(`a{color:red}${web}${mono}`, page)).toEqual({
    rules: `a{color:red}${mono}`,
    held: web,
  })
  expect(splitPreloaded(mono, page)).toEqual({ rules: mono, held: '' })
})

test('held fonts wait in one element, with their preload', () => {
  const html = holdFonts(page, web)
  const [, fonts] = /<noscript data-fonts>(.*)<\/noscript>/.exec(html)
  expect(fonts).toContain('href="/f.woff2"')
  expect(fonts).toContain(web)
  expect(html.replace(fonts, '')).not.toContain('f.woff2')
})

const used = (rules, islands = []) => usedRules(page, rules, islands)

test('a page has the rules that it uses, and what stands for its fonts', async () => {
  const rules = await used(`.page{margin:0}.other{margin:1px}[data-consent]{margin:2px}${local}`)
  expect(rules).toContain('.page{margin:0}')
  expect(rules).toContain('[data-consent]{margin:2px}')
  expect(rules).toContain(local)
  expect(rules).not.toContain('.other')
})

test('a page has the rules that its islands may come to need', async () => {
  const html = page.replace('<p>', '<p class="Ab3_-x_form">')
  const rules = '.Ab3_-x_form{margin:1px}.Ab3_-x_done{margin:2px}.Zb3_-x_done{margin:3px}'
  expect(await usedRules(html, rules, ['Ab3_-x', 'Zb3_-x'])).toBe(
    '.Ab3_-x_form{margin:1px}.Ab3_-x_done{margin:2px}',
  )
})

test('how focus and a selection look stays, whatever the page has', async () => {
  const rules = ':focus-visible{outline:red}::selection{color:red}'
  expect(await used(rules)).toBe(rules)
  expect(await used(`@layer base{${rules}}`)).toContain(rules)
})

test('a rule for all elements but some stays', async () => {
  for (const rule of ['div :not(b)>p{margin:3px}', 'div>:not(b){margin:3px}']) {
    expect(await used(rule)).toContain('margin:3px')
  }
})

test('a choice made in CSS alone stays', async () => {
  const rule = ':is(.page:has(input:checked) .a,.page:has(input:checked) .b){margin:3px}'
  expect(await used(rule)).toContain('margin:3px')
})

test('a little style stands in the page', async () => {
  const html = await placeStyle(page, 'p{margin:0}')
  expect(html).toContain('<style>p{margin:0}</style></head>')
  expect(html).not.toContain('rel="stylesheet"')
})

test('one sheet stands for those that it was made of', () => {
  expect(sheetsOf(page)).toEqual(['/a.css', '/b.css'])
  expect(sheetsOf(linkOnce(page, '/all.css'))).toEqual(['/all.css'])
})
