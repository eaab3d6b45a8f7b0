import { http, HttpResponse } from 'msw'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { server } from '@/testing/server'

let events: Record<string, unknown>[]

/** Serves /config.json and takes events; the module keeps its settings, so each test loads it anew. */
async function analytics(settings: unknown) {
  vi.resetModules()
  server.use(
    http.get('*/config.json', () => HttpResponse.json(settings as object)),
    http.post('https://eu.i.posthog.com/i/v0/e/', async ({ request }) => {
      events.push((await request.json()) as Record<string, unknown>)
      return HttpResponse.json({ status: 1 })
    }),
  )
  return import('./analytics')
}

beforeEach(() => {
  events = []
})
afterEach(() => window.history.replaceState(null, '', '/'))

test('records a page view', async () => {
  window.history.replaceState(null, '', '/blog?q=1&token=secret#top')
  const { track } = await analytics({ analytics: { posthogKey: 'phc_test' } })
  await track('Page View')
  expect(events).toMatchObject([
    {
      api_key: 'phc_test',
      event: 'Page View',
      properties: { path: '/blog', search: '?q=1', hash: '#top' },
    },
  ])
})

test('keeps one identifier for a visitor', async () => {
  const { track } = await analytics({ analytics: { posthogKey: 'phc_test' } })
  await track('Button Click')
  await track('Button Click')
  expect(events[0]?.distinct_id).toBe(events[1]?.distinct_id)
})

test.each([
  ['without a key', {}, '/blog'],
  ['on the sign-in pages', { analytics: { posthogKey: 'phc_test' } }, '/auth/callback'],
])('sends nothing %s', async (_, settings, path) => {
  window.history.replaceState(null, '', path)
  const { track } = await analytics(settings)
  await track('Page View')
  expect(events).toEqual([])
})

test('sends nothing to those who ask not to be tracked', async () => {
  vi.stubGlobal('navigator', { doNotTrack: '1' })
  const { track } = await analytics({ analytics: { posthogKey: 'phc_test' } })
  await track('Page View')
  expect(events).toEqual([])
})
