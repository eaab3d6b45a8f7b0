// @vitest-environment node
import { expect, test } from 'vitest'
import { holdScripts } from './first-paint.mjs'
import { holdFonts, inlineStyle, linkOnce, sheetsOf, splitFonts } from './style.mjs'

const page =
  '<html><head><link rel="preload" href="/f.woff2" as="font" crossorigin=""/>' +
  '<link rel="stylesheet" href="/a.css" data-precedence="next"/><link rel="stylesheet" href="/b.css" data-precedence="next"/>' +
  '<link rel="preload" as="script" href="/s.js"/><script src="/s.js" async=""></script></head><body class="page"><p>Text</p>' +
  '<script>inline()</script><script type="module" src="/m.js"></script><script src="/old.js" noModule=""></script></body></html>'

test('script files are held, what is inline or for old browsers is not', () => {
  const html = holdScripts(page)
  expect(html).toContain('<script type="text/held" src="/s.js" async="">')
  expect(html).toContain('<script type="text/held" data-type="module" src="/m.js">')
  expect(html).toContain('<script>inline()</script>')
  expect(html).toContain('<script src="/old.js" noModule="">')
  expect(html).not.toContain('as="script"')
})

const web = '@font-face{font-family:web;src:url(/f.woff2)format("woff2")}'
const local = "@font-face{font-family:stand-in;src:local('Arial')}"

test('web fonts are apart from the rules, fonts of the machine are not', () => {
  const { rules, fonts } = splitFonts(`a{color:red}${web}${local}b{color:blue}`)
  expect(fonts).toBe(web)
  expect(rules).toBe(`a{color:red}${local}b{color:blue}`)
})

test('held fonts wait in one element, with their preload', () => {
  const html = holdFonts(page, web)
  const [, fonts] = /<noscript data-fonts>(.*)<\/noscript>/.exec(html)
  expect(fonts).toContain('href="/f.woff2"')
  expect(fonts).toContain(web)
  expect(html.replace(fonts, '')).not.toContain('f.woff2')
})

test('a page carries the rules that it uses, and those that scripts will need', async () => {
  const rules = `.page{margin:0}.other{margin:1px}[data-consent]{margin:2px}${local}`
  const html = await inlineStyle(page, rules)
  const [, style] = /<style>(.*)<\/style>/s.exec(html)
  expect(style).toContain('.page{margin:0}')
  expect(style).toContain('[data-consent]{margin:2px}')
  expect(style).toContain(local)
  expect(style).not.toContain('.other')
  expect(html).not.toContain('rel="stylesheet"')
})

test('one sheet stands for those that it was made of', () => {
  expect(sheetsOf(page)).toEqual(['/a.css', '/b.css'])
  const html = linkOnce(`${page}"/a.css","/b.css"`, ['/a.css', '/b.css'], '/all.css')
  expect(sheetsOf(html)).toEqual(['/all.css'])
  expect(html).toContain('"/all.css","/all.css"')
})
