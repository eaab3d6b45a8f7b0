// @vitest-environment node
import { expect, test } from 'vitest'
import { loadedBy, reachableFrom, visitorsRulesIn } from './loads.mjs'

const page = `<link rel="stylesheet" href="/_next/static/chunks/a.css"><link rel="icon" href="/icon.svg">
<script src="/_next/static/chunks/main.js" async></script><script src="/_next/static/chunks/old.js" nomodule></script>
<script>self.__next_f.push([1,"[\\"/_next/static/chunks/part.js\\"]"])</script>`

test('a page loads what its elements name, but for what only outdated browsers do', () => {
  expect(loadedBy(page)).toEqual({
    scripts: new Set(['/_next/static/chunks/main.js']),
    sheets: new Set(['/_next/static/chunks/a.css']),
    outdated: new Set(['/_next/static/chunks/old.js']),
  })
})

test('what may be loaded later is found through scripts, in circles, too', async () => {
  const files = {
    '/_next/static/chunks/main.js': 'load("static/chunks/0a~b-c_d.js")',
    '/_next/static/chunks/part.js': '',
    '/_next/static/chunks/0a~b-c_d.js':
      '["static/chunks/late.css","static/chunks/main.js","./x.js"]',
  }
  expect([...(await reachableFrom(page, async (address) => files[address]))].sort()).toEqual(
    [...Object.keys(files), '/_next/static/chunks/a.css', '/_next/static/chunks/late.css'].sort(),
  )
})

test('islands name each other by their place', async () => {
  const files = {
    '/_next/static/islands/main.js': 'import{a}from"./one.js";import(`./two.js`)',
    '/_next/static/islands/one.js': '',
    '/_next/static/islands/two.js': '',
  }
  const island = '<script data-islands="/_next/static/islands/main.js"></script>'
  expect([...loadedBy(island).scripts]).toEqual(['/_next/static/islands/main.js'])
  expect([...(await reachableFrom(island, async (address) => files[address]))]).toEqual(
    Object.keys(files),
  )
})

test('rules of visitors’ pages are found by the classes of their modules', () => {
  const names = {
    './features/landing/hero.module.css': { hero: 'aB1_hero x_display', title: 'aB1_title' },
    './features/blog/article.module.css': { text: 'cD2_text' },
    './features/profile/card.module.css': { card: 'eF3_card' },
  }
  expect(visitorsRulesIn('.eF3_card{a:b}.x_display{c:d}', names)).toEqual([])
  expect(visitorsRulesIn('.eF3_card{a:b}.aB1_title:hover{c:d}', names)).toEqual([
    './features/landing/hero.module.css',
  ])
})
