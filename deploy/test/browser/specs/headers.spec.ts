import { get as getPlain } from 'node:http'
import { get as getSecure } from 'node:https'

import type { APIResponse } from '@playwright/test'

import { expect, test } from './fixture.ts'
import { siteURL } from './stack.ts'

const FOUND = [
  '/',
  '/blog',
  '/blog/figma-to-swiftui',
  '/terms',
  '/privacy',
  '/closed-beta',
  '/profile',
]
const PAGES = [
  ...FOUND,
  '/admin',
  '/auth',
  '/auth/callback',
  '/auth/error',
  '/signin',
  '/upgrade',
  '/confirm-waitlist',
  '/leave-waitlist',
]
const MISSING = ['/nowhere', '/blog/no-such-article', '/auth/nowhere']
const FILES = ['/config.json', '/feed.xml', '/sitemap.xml', '/robots.txt', '/og/site.png']

const secure = siteURL.startsWith('https:')

function expectEverywhere(response: APIResponse, path: string): void {
  const headers = response.headers()
  const sent = /^\/(auth|signin)/.test(path) ? 'no-referrer' : 'strict-origin-when-cross-origin'
  expect(headers, path).toMatchObject({
    'x-content-type-options': 'nosniff',
    'referrer-policy': sent,
  })
  // Over plain http nobody but a trusted proxy says that the browser came by TLS.
  expect(headers['strict-transport-security'], path).toBe(
    secure ? 'max-age=31536000; includeSubDomains' : undefined,
  )
  expect(headers, path).not.toHaveProperty('server')
  expect(headers, path).not.toHaveProperty('x-powered-by')
  expect(headers, path).not.toHaveProperty('access-control-allow-origin')
}

for (const path of [...PAGES, ...MISSING]) {
  test(`${path} is protected by its headers`, async ({ request }) => {
    const response = await request.get(path)
    expect(response.status()).toBe(MISSING.includes(path) ? 404 : 200)
    expectEverywhere(response, path)
    const headers = response.headers()
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy':
        'camera=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()',
    })
    const policy = Object.fromEntries(
      (headers['content-security-policy'] ?? '').split('; ').map((directive) => {
        const [name, ...values] = directive.split(' ')
        return [name, values]
      }),
    )
    expect(policy).toMatchObject({
      'default-src': ["'self'"],
      'object-src': ["'none'"],
      'base-uri': ["'none'"],
      'frame-ancestors': ["'none'"],
      'form-action': ["'self'"],
    })
    for (const source of policy['script-src'] ?? ['none']) {
      // The last one is there because the stack of these tests has a measurement id.
      expect(source).toMatch(/^('self'|'sha256-[\w+/]{43}='|https:\/\/www\.googletagmanager\.com)$/)
    }
  })
}

test('files are protected by their headers, and hashed ones are kept for ever', async ({
  request,
}) => {
  for (const path of FILES) {
    const response = await request.get(path)
    expect(response.status(), path).toBe(200)
    expectEverywhere(response, path)
    expect(response.headers()['cache-control'], path).toMatch(/^(no-cache|public, max-age=3600)$/)
  }
  const pages = await Promise.all(['/', '/profile'].map((path) => request.get(path)))
  const html = (await Promise.all(pages.map((page) => page.text()))).join('')
  const assets = [...html.matchAll(/(?:src|href)="(\/_next\/[^"]+)"/g)].map(
    ([, path]) => path ?? '',
  )
  expect(assets.length).toBeGreaterThan(5)
  for (const path of new Set(assets)) {
    const response = await request.get(path)
    expect(response.status(), path).toBe(200)
    expectEverywhere(response, path)
    expect(response.headers()['cache-control'], path).toBe('public, max-age=31536000, immutable')
    expect((await request.get(`${path}.map`)).status(), path).toBe(404)
  }
})

test('what is no page of the site is not there', async () => {
  const { port, hostname } = new URL(siteURL)
  // Behind an ingress, which may refuse such paths itself.
  const get = secure ? getSecure : getPlain
  for (const path of [
    '/.git/config',
    '/.env',
    '/_next/../../etc/passwd',
    '/%2e%2e/etc/passwd',
    '/..%2f..%2fetc/passwd',
    '/index.html%00',
  ]) {
    // Written to the wire as it is: browsers and Playwright would resolve the dots themselves.
    const status = await new Promise((resolve, reject) => {
      get({ hostname, port, path }, (answer) => resolve(answer.resume().statusCode)).on(
        'error',
        reject,
      )
    })
    expect(secure ? [400, 404] : [404], path).toContain(status)
  }
})

test('answers of the API may be kept by nobody', async ({ request }) => {
  for (const path of ['/api/health', '/api/nowhere', '/api/get-users-with-roles']) {
    expect((await request.get(path)).headers(), path).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    })
  }
})
