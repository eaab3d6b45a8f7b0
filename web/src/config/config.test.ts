// @vitest-environment node
import { readFile } from 'node:fs/promises'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { defaultSettings, parseSettings } from './settings'
import { tokens } from './tokens'

test('every token name has a value in tokens.css', async () => {
  const css = await readFile(new URL('../styles/tokens.css', import.meta.url), 'utf8')
  const missing = Object.values(tokens)
    .flatMap((group) => Object.values(group))
    .map((reference) => reference.slice('var('.length, -1))
    .filter((name) => !css.includes(`${name}:`))
  expect(missing).toEqual([])
})

test.each([null, 7, 'x', [], {}, { analytics: null }, { analytics: { posthogKey: 1 } }])(
  'settings of %j are the defaults',
  (value) => {
    expect(parseSettings(value)).toEqual(defaultSettings)
  },
)

test('settings are read', () => {
  const posthogHost = 'https://us.i.posthog.com'
  const analytics = { posthogKey: ' phc_1 ', posthogHost, measurementId: 'G-1 ' }
  expect(parseSettings({ analytics, unknown: true })).toEqual({
    analytics: { posthogKey: 'phc_1', posthogHost, measurementId: 'G-1' },
    handOff: { tokens: true, links: [] },
    deletionGrace: 604800,
  })
})

test.each([
  [{ handOff: { tokens: false } }, false],
  [{ handOff: { tokens: true } }, true],
  [{ handOff: {} }, true],
  [{ handOff: null }, true],
])('tokens may pass by %j: %s', (value, expected) => {
  expect(parseSettings(value).handOff.tokens).toBe(expected)
})

test.each([
  [{ handOff: { links: ['a', 1, 'b'] } }, ['a', 'b']],
  [{ handOff: { links: 'a' } }, []],
])('reads the further links of the app from %j', (value, expected) => {
  expect(parseSettings(value).handOff.links).toEqual(expected)
})

describe('/config.json', () => {
  const answer = vi.fn<() => Promise<Response>>()
  beforeEach(() => {
    vi.resetModules()
    vi.stubGlobal('fetch', answer.mockReset())
  })
  const withoutFile = { ...defaultSettings, deletionGrace: 0 }

  test.each<[string, () => Promise<Response>]>([
    ['no network', () => Promise.reject(new TypeError('Failed to fetch'))],
    ['a server that is down', async () => new Response('', { status: 503 })],
    ['what is no JSON', async () => new Response('<html>')],
  ])('is asked for again after %s', async (_, failure) => {
    const { knownSettings, loadSettings } = await import('./settings')
    answer.mockImplementation(failure)
    await expect(knownSettings()).rejects.toHaveProperty('kind')
    expect(await loadSettings()).toEqual(withoutFile)
    answer.mockImplementation(async () => Response.json({ handOff: { tokens: false } }))
    const known = await knownSettings()
    expect(known.handOff.tokens).toBe(false)
    expect(await loadSettings()).toBe(known)
    expect(answer).toHaveBeenCalledTimes(3)
  })

  test('need not be there, and then promises nobody that a deletion can be taken back', async () => {
    const { knownSettings } = await import('./settings')
    answer.mockImplementation(async () => new Response('', { status: 404 }))
    expect(await knownSettings()).toEqual(withoutFile)
    expect(await knownSettings()).toEqual(withoutFile)
    expect(answer).toHaveBeenCalledOnce()
  })
})
