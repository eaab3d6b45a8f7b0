// @vitest-environment node
import type { Metadata } from 'next'
import { expect, test } from 'vitest'
import { metadata as blog } from './blog/page'
import { metadata as privacy } from './privacy/page'
import { metadata as terms } from './terms/page'

test.each<[string, Metadata, RegExp]>([
  ['/blog', blog, /Blog/],
  ['/privacy', privacy, /^Privacy Policy/],
  ['/terms', terms, /^Terms and Conditions/],
])('%s is shared as itself', (path, { description, openGraph }, title) => {
  expect(openGraph).toMatchObject({ url: path, description, images: [{ url: '/og/fledge.png' }] })
  expect(openGraph?.title).toMatch(title)
})
