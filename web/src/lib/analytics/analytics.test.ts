import { http, HttpResponse } from 'msw'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { aSession } from '@/testing/session'
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

describe('a person', () => {
  const { user } = aSession()
  const posthog = { analytics: { posthogKey: 'phc_test' } }

  test('is made known once, and events belong to them until they are forgotten', async () => {
    const { track, identify, forget } = await analytics(posthog)
    await track('Page View')
    await identify(user)
    await identify(user)
    await track('Button Click')
    forget()
    await track('Page View')
    const [before, known, during, after] = events
    expect(events).toHaveLength(4)
    expect(known).toMatchObject({
      event: '$identify',
      distinct_id: user.id,
      properties: {
        $anon_distinct_id: before?.distinct_id,
        $set: { email: 'jane@fledge.test', provider: 'google' },
      },
    })
    expect(during?.distinct_id).toBe(user.id)
    expect(after?.distinct_id).not.toBe(user.id)
    expect(after?.distinct_id).not.toBe(before?.distinct_id)
  })

  test('is not taken for another one who was here before', async () => {
    const { identify } = await analytics(posthog)
    await identify(user)
    await identify({ ...user, id: 'another' })
    expect(events[1]).toMatchObject({ distinct_id: 'another' })
    expect(events[1]?.properties).not.toHaveProperty('$anon_distinct_id')
  })

  test('is not made known on the sign-in pages, but after them', async () => {
    window.history.replaceState(null, '', '/auth/callback?callback=x')
    const { identify } = await analytics(posthog)
    await identify(user)
    expect(events).toEqual([])
    window.history.replaceState(null, '', '/profile')
    await identify(user)
    expect(events).toHaveLength(1)
  })

  test.each(['getItem', 'setItem', 'removeItem'] as const)(
    'leaves no error behind when storage forbids %s',
    async (method) => {
      vi.spyOn(Storage.prototype, method).mockImplementation(() => {
        throw new DOMException('denied', 'SecurityError')
      })
      const { identify, forget, track } = await analytics(posthog)
      await identify(user)
      forget()
      await track('Page View')
      expect(events).toHaveLength(2)
    },
  )
})
