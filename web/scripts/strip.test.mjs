// @vitest-environment node
import { expect, test } from 'vitest'
import { isVisitors, routeOf } from './pages.mjs'
import { payloadsOf, replaceScripts } from './strip.mjs'

const sources = { page: '/page.js', islands: '/islands.js' }

test('takes every script of Next out and puts ours in', () => {
  const html =
    '<html><head><link rel="preload" as="script" href="/x.js"/><link rel="preload" as="font" href="/f"/>' +
    '<script src="/x.js" async=""></script></head><body><p>Text</p><script>(self.__next_f=[])</script></body></html>'
  expect(replaceScripts(html, sources)).toBe(
    '<html><head><link rel="preload" as="font" href="/f"/><script type="module" src="/page.js"></script></head>' +
      '<body><p>Text</p></body></html>',
  )
})

test('a page with islands has their script, too', () => {
  const html = '<head></head><body><fledge-island data-name="header"></fledge-island></body>'
  expect(replaceScripts(html, sources)).toContain(
    '<script type="module" src="/page.js"></script><script type="module" src="/islands.js"></script></head>',
  )
})

test('the payloads of a page are its own', () => {
  const files = [
    '/out/index.txt',
    '/out/__next._tree.txt',
    '/out/blog.txt',
    '/out/blog/__next._full.txt',
    '/out/blog/post.txt',
    '/out/blog/post/__next._tree.txt',
    '/out/blog/post.html',
  ]
  expect(payloadsOf('/out/index', files)).toEqual(files.slice(0, 2))
  expect(payloadsOf('/out/blog', files)).toEqual(files.slice(2, 4))
  expect(payloadsOf('/out/blog/post', files)).toEqual(files.slice(4, 6))
})

test.each([
  ['index.html', '/', true],
  ['404.html', '/404', true],
  ['blog.html', '/blog', true],
  ['blog/a-post.html', '/blog/a-post', true],
  ['blog/not-found.html', '/blog/not-found', true],
  ['terms.html', '/terms', true],
  ['auth/callback.html', '/auth/callback', false],
  ['profile.html', '/profile', false],
])('%s answers %s', (file, route, visitors) => {
  expect(routeOf(file)).toBe(route)
  expect(isVisitors(route)).toBe(visitors)
})
