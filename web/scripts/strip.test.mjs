// @vitest-environment node
import { expect, test } from 'vitest'
import { isVisitors, routeOf } from './pages.mjs'
import { payloadsOf, replaceScripts, visitorsModules } from './strip.mjs'

const element = (src) => `<script type="module" src="${src}" fetchpriority="low"></script>`

test('takes every script of Next out and puts ours in', () => {
  const html =
    '<html><head><link rel="preload" as="script" href="/x.js"/><link rel="preload" as="font" href="/f"/>' +
    '<script src="/x.js" async=""></script></head><body><p>Text</p><script>(self.__next_f=[])</script></body></html>'
  const rest = '</head><body><p>Text</p></body></html>'
  const font = '<html><head><link rel="preload" as="font" href="/f"/>'
  const ours = element('/a.js') + element('/b.js')
  expect(replaceScripts(html, { starts: ['/a.js', '/b.js'] })).toBe(font + ours + rest)
  const link = (href) => `<link rel="modulepreload" href="${href}" fetchpriority="low">`
  const all = { starts: ['/a.js', '/b.js'], soon: ['/c.js'], later: ['/d.js'] }
  const later = `<template data-later>${link('/d.js')}</template>`
  expect(replaceScripts(html, all)).toBe(font + ours + link('/c.js') + later + rest)
})

test('a page with islands has their script, too', () => {
  const sources = { page: '/page.js', islands: '/islands.js' }
  const html = '<body><fledge-island data-name="header"></fledge-island></body>'
  expect(visitorsModules(html, sources)).toEqual(['/page.js', '/islands.js'])
  expect(visitorsModules('<body></body>', sources)).toEqual(['/page.js'])
})

test('payloads are told from other texts', () => {
  const files = [
    '/out/__next._tree.txt',
    '/out/blog.txt',
    '/out/blog/__next._full.txt',
    '/out/blog/post.html',
    '/out/blog/post.txt',
    '/out/index.txt',
    '/out/robots.txt',
  ]
  const pages = ['/out/index.html', '/out/blog.html', '/out/blog/post.html']
  expect(payloadsOf(pages, files)).toEqual(
    files.filter((file) => !['/out/blog/post.html', '/out/robots.txt'].includes(file)),
  )
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
