// @vitest-environment node
import { expect, test } from 'vitest'
import { layoutsOf, routeOf } from './app-script.mjs'

test.each([
  ['(shell)/profile', '/profile'],
  ['auth/callback', '/auth/callback'],
  ['upgrade', '/upgrade'],
])('the page in %s answers %s', (directory, route) => {
  expect(routeOf(directory)).toBe(route)
})

test('a page has the layouts of the folders that it is in', () => {
  expect(layoutsOf('(shell)/profile')).toEqual([
    'layout.tsx',
    '(shell)/layout.tsx',
    '(shell)/profile/layout.tsx',
  ])
})
