// @vitest-environment node
import { expect, test } from 'vitest'
import { isMarketing, isText, routeOf } from './pages.mjs'
import { replaceScripts } from './strip.mjs'

test('takes every script of Next out and puts ours in', () => {
  const html =
    '<html><head><link rel="preload" as="script" href="/x.js"/><link rel="preload" as="font" href="/f"/>' +
    '<script src="/x.js" async=""></script></head><body><p>Text</p><script>(self.__next_f=[])</script></body></html>'
  expect(replaceScripts(html, '/page.js')).toBe(
    '<html><head><link rel="preload" as="font" href="/f"/><script type="module" src="/page.js"></script></head>' +
      '<body><p>Text</p></body></html>',
  )
})

test.each([
  ['index.html', '/', false, true],
  ['404.html', '/404', false, true],
  ['blog.html', '/blog', false, true],
  ['blog/a-post.html', '/blog/a-post', true, true],
  ['blog/not-found.html', '/blog/not-found', true, true],
  ['terms.html', '/terms', true, true],
  ['auth/callback.html', '/auth/callback', false, false],
  ['profile.html', '/profile', false, false],
])('%s answers %s', (file, route, text, marketing) => {
  expect(routeOf(file)).toBe(route)
  expect(isText(route)).toBe(text)
  expect(isMarketing(route)).toBe(marketing)
})
