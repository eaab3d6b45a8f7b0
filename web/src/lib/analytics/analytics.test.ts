import { gunzipSync } from 'node:zlib'
import { http, HttpResponse } from 'msw'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { aSession } from '@/testing/session'
import { server } from '@/testing/server'
import { storeConsent } from './consent'

interface Sent {
  /** Of version 7: grows with time. */
  uuid: string
  event: string
  properties: Record<string, unknown>
  $set?: unknown
}

let events: Sent[]
/** Each test has a project of its own, for the client of another one may still be trying. */
let posthogKey: string
let projects = 0

async function bodyOf(request: Request): Promise<{ api_key: string; batch: Sent[] }> {
  const body = Buffer.from(await request.arrayBuffer())
  const text = body[0] === 0x1f ? gunzipSync(body).toString() : body.toString()
  return JSON.parse(text) as { api_key: string; batch: Sent[] }
}

/** Serves /config.json and takes events; the modules keep what they load, so each test loads them again. */
async function analytics(settings: unknown = { analytics: { posthogKey } }) {
  vi.resetModules()
  server.use(
    http.get('*/config.json', () => HttpResponse.json(settings as object)),
    http.post('https://eu.i.posthog.com/e/', async ({ request }) => {
      const { api_key, batch } = await bodyOf(request)
      if (api_key !== posthogKey) return HttpResponse.json({ status: 1 })
      events.push(...batch)
      // They may arrive in another order than that of the calls.
      events.sort((a, b) => (a.uuid < b.uuid ? -1 : 1))
      return HttpResponse.json({ status: 1 })
    }),
  )
  return import('./analytics')
}

const names = () => events.map(({ event }) => event)
const TIMEOUT = { timeout: 10_000 }

/** Writes what the services would have stored, and something of others. */
function leaveTraces() {
  localStorage.setItem('ph_phc_1_posthog', '{}')
  sessionStorage.setItem('__ph_opt_in', '1')
  document.cookie = 'ph_phc_1_posthog=x; path=/'
  document.cookie = '_ga=GA1.1; path=/'
  document.cookie = '_ga_TEST=GS1; path=/'
  document.cookie = 'other=kept; path=/'
}
function expectNoTraces() {
  expect(Object.keys(localStorage)).toEqual(['fledge_analytics'])
  expect(Object.keys(sessionStorage)).toEqual([])
  expect(document.cookie).toBe('other=kept')
}
const arrived = (...expected: string[]) =>
  vi.waitFor(() => expect(names()).toEqual(expected), TIMEOUT)
const visitorOf = (sent: Sent | undefined) => sent?.properties.distinct_id

beforeEach(() => {
  events = []
  posthogKey = `phc_${(projects += 1)}`
  storeConsent('accepted')
})
afterEach(() => {
  window.history.replaceState(null, '', '/')
  document.cookie = 'other=; path=/; max-age=0'
})

test('records a page view, and nothing of the address that could open a session', async () => {
  window.history.replaceState(null, '', '/blog?n=1&access_token=secret&code=secret#top')
  vi.spyOn(document, 'referrer', 'get').mockReturnValue('https://other.example/?token=secret')
  const { track } = await analytics()
  await track('Page View')
  await arrived('Page View')
  expect(events[0]?.properties).toMatchObject({
    token: posthogKey,
    path: '/blog',
    search: '?n=1',
    hash: '#top',
    $current_url: 'http://localhost:3000/blog?n=1#top',
  })
  expect(JSON.stringify(events)).not.toContain('secret')
})

test('keeps one identifier for a visitor, in this browser only', async () => {
  const { track } = await analytics()
  await track('Button Click', { label: 'One' })
  await track('Button Click', { label: 'Two' })
  await arrived('Button Click', 'Button Click')
  expect(events.map(({ properties }) => properties.label)).toEqual(['One', 'Two'])
  expect(visitorOf(events[0])).toBe(visitorOf(events[1]))
  expect(document.cookie).toBe('')
})

/** Sends all there is to send, then one that arrives: what was not sent before will not be any more. */
async function settled() {
  window.history.replaceState(null, '', '/')
  vi.unstubAllGlobals()
  storeConsent('accepted')
  const { track } = await analytics()
  await track('Error', { label: 'last' })
  await vi.waitFor(() => expect(names()).toContain('Error'), TIMEOUT)
}

test.each<[string, () => void]>([
  ['before the visitor agreed', () => localStorage.clear()],
  ['when the visitor declined', () => storeConsent('declined')],
  ['on the sign-in pages', () => window.history.replaceState(null, '', '/auth/callback?code=x')],
  ['to those who ask not to be tracked', () => vi.stubGlobal('navigator', { doNotTrack: '1' })],
  [
    'under Global Privacy Control',
    () => vi.stubGlobal('navigator', { globalPrivacyControl: true }),
  ],
])('sends and keeps nothing %s', async (_, given) => {
  given()
  const { track, identify } = await analytics()
  await track('Page View')
  await identify(aSession().user)
  expect(Object.keys(localStorage).filter((name) => name !== 'fledge_analytics')).toEqual([])
  await settled()
  expect(names()).toEqual(['Error'])
})

test('loads nothing without a key', async () => {
  const { track } = await analytics({})
  await track('Page View')
  expect(Object.keys(localStorage)).toEqual(['fledge_analytics'])
  expect(document.querySelector('script')).toBeNull()
})

test('a collector that is down is no error of the page', async () => {
  const { track, identify, forget } = await analytics()
  const attempts: string[] = []
  server.use(
    http.post('https://eu.i.posthog.com/e/', async ({ request }) => {
      const { api_key, batch } = await bodyOf(request)
      if (api_key === posthogKey) attempts.push(...batch.map(({ event }) => event))
      return HttpResponse.error()
    }),
  )
  await track('Page View')
  await identify(aSession().user)
  await forget()
  await vi.waitFor(() => expect(attempts).toContain('Page View'), TIMEOUT)
})

test('a consent counts from where the visitor is, and for who is signed in', async () => {
  localStorage.clear()
  const { identify, applyConsent } = await analytics()
  await identify(aSession().user)
  storeConsent('accepted')
  await applyConsent()
  await arrived('$identify', 'Page View')
})

test('a withdrawn consent leaves nothing behind, and can be given again', async () => {
  const { track, applyConsent } = await analytics()
  await track('Page View')
  await arrived('Page View')
  storeConsent('declined')
  await applyConsent()
  await track('Page View')
  expect(Object.keys(localStorage)).toEqual(['fledge_analytics'])
  expect(Object.keys(sessionStorage)).toEqual([])
  storeConsent('accepted')
  await applyConsent()
  await arrived('Page View', 'Page View')
  expect(visitorOf(events[1])).not.toBe(visitorOf(events[0]))
})

test.each<[string, () => void]>([
  ['blocked', () => {}],
  ['neither loaded nor refused', () => vi.spyOn(document.head, 'append').mockReturnValue()],
])('a withdrawn consent leaves nothing of a service that is %s', async (_, given) => {
  given()
  const { track, applyConsent } = await analytics({ analytics: { measurementId: 'G-TEST' } })
  void track('Page View')
  leaveTraces()
  storeConsent('declined')
  void applyConsent()
  await vi.waitFor(expectNoTraces)
})

describe('a person', () => {
  const { user } = aSession()

  test('is made known once, and events belong to them until they are forgotten', async () => {
    const { track, identify, forget } = await analytics()
    await track('Page View')
    await identify(user)
    await identify(user)
    await track('Button Click')
    await forget()
    await track('Page View')
    await arrived('Page View', '$identify', 'Button Click', 'Page View')
    const [before, known, during, after] = events
    expect(known).toMatchObject({
      $set: { email: 'jane@fledge.test', provider: 'google' },
      properties: { distinct_id: user.id, $anon_distinct_id: visitorOf(before) },
    })
    expect(visitorOf(during)).toBe(user.id)
    expect(visitorOf(after)).not.toBe(user.id)
    expect(visitorOf(after)).not.toBe(visitorOf(before))
  })

  test('is not taken for another one who was here before', async () => {
    const { identify } = await analytics()
    await identify(user)
    await identify({ ...user, id: 'another' })
    await arrived('$identify', '$identify')
    expect(visitorOf(events[1])).toBe('another')
    expect(events[1]?.properties.$anon_distinct_id).not.toBe(
      events[0]?.properties.$anon_distinct_id,
    )
  })

  test('is not made known on the sign-in pages, but after them', async () => {
    window.history.replaceState(null, '', '/auth/callback?callback=x')
    const { identify } = await analytics()
    await identify(user)
    window.history.replaceState(null, '', '/profile')
    await identify(user)
    await arrived('$identify')
    expect(events[0]?.properties.$current_url).toBe('http://localhost:3000/profile')
  })
})
