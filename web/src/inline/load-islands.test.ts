import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { loadIslands } from './load-islands'

const SRC = '/_next/static/islands/x.js'
let paint: (name: string) => void
let fontLoads: () => void
let fontFails: () => void

class Observer {
  constructor(callback: (list: { getEntriesByName: (name: string) => unknown[] }) => void) {
    paint = (painted) => callback({ getEntriesByName: (name) => (name === painted ? [{}] : []) })
  }
  observe() {}
}

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('PerformanceObserver', Observer)
  const font = new Promise<void>((resolve, reject) => {
    fontLoads = resolve
    fontFails = reject
  })
  Object.defineProperty(document, 'fonts', { value: { load: () => font }, configurable: true })
  document.head.innerHTML = ''
  delete document.documentElement.dataset.fonts
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

function start(src?: string) {
  const script = document.createElement('script')
  if (src) script.dataset.islands = src
  vi.spyOn(document, 'currentScript', 'get').mockReturnValue(script)
  loadIslands()
}

const requested = () =>
  [...document.head.querySelectorAll('script')].map((s) => s.getAttribute('src'))

test('the script is requested when the text is painted, once', () => {
  start(SRC)
  paint('first-paint')
  expect(requested()).toEqual([])
  paint('first-contentful-paint')
  vi.runAllTimers()
  expect(requested()).toEqual([SRC])
})

test('a page that reports no paint waits three seconds', () => {
  start(SRC)
  vi.advanceTimersByTime(2999)
  expect(requested()).toEqual([])
  vi.advanceTimersByTime(1)
  expect(requested()).toEqual([SRC])
})

test('a page that runs on Next requests nothing', () => {
  start()
  vi.runAllTimers()
  expect(requested()).toEqual([])
})

test.each([
  ['', 'deferred'],
  ['https://search.example/', 'deferred'],
  [`${window.location.origin}/blog`, undefined],
])(
  'the fonts of a page that is reached from %j are %s until they have loaded',
  async (from, fonts) => {
    vi.spyOn(document, 'referrer', 'get').mockReturnValue(from)
    start(SRC)
    paint('first-contentful-paint')
    expect(document.documentElement.dataset.fonts).toBe(fonts)
    fontLoads()
    await vi.waitFor(() => expect(document.documentElement.dataset.fonts).toBeUndefined())
  },
)

test('a font that cannot be loaded is left to the browser', async () => {
  start(SRC)
  paint('first-contentful-paint')
  fontFails()
  await vi.waitFor(() => expect(document.documentElement.dataset.fonts).toBeUndefined())
})

test('the fonts of a page that runs on Next are not deferred', () => {
  start()
  expect(document.documentElement.dataset.fonts).toBeUndefined()
})
