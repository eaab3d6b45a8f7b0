import { beforeEach, expect, test, vi } from 'vitest'
import { begin } from './begin'

let paint: () => void
let load: () => Promise<void>
const added: string[] = []

beforeEach(() => {
  added.length = 0
  load = () => Promise.resolve()
  document.head.innerHTML = `
    <script type="text/held" src="/page.js"></script>
    <script type="text/held" src="/islands.js"></script>
    <noscript data-fonts></noscript>`
  // jsdom reads the content of noscript as markup; a browser with scripts, as text.
  document.querySelector('noscript')!.textContent =
    '<link rel="preload"/><style>@font-face{font-family:A}@font-face{font-family:B}</style>'
  vi.stubGlobal(
    'PerformanceObserver',
    class {
      static supportedEntryTypes = ['paint']
      disconnect = vi.fn()
      constructor(callback: (list: object, observer: object) => void) {
        paint = () => callback({ getEntriesByName: () => [{}] }, this)
      }
      observe() {}
    },
  )
  // jsdom has no fonts: a style sheet of faces, a face and the document's set.
  vi.stubGlobal(
    'CSSStyleSheet',
    class {
      cssRules: object[] = []
      replaceSync(text: string) {
        this.cssRules = [...text.matchAll(/font-family:(\w)/g)].map(([, family]) => ({
          style: { getPropertyValue: (name: string) => (name === 'font-family' ? family : '') },
        }))
      }
    },
  )
  vi.stubGlobal(
    'FontFace',
    class {
      constructor(readonly family: string) {}
      load = () => load()
    },
  )
  const fonts = { add: ({ family }: { family: string }) => added.push(family) }
  Object.defineProperty(document, 'fonts', { value: fonts, configurable: true })
})

const held = () => document.querySelectorAll('[type="text/held"]')
const fontsThere = () => vi.waitFor(() => expect(added).toEqual(['A', 'B']))

test('fonts and scripts wait for the first paint', async () => {
  begin(document)
  expect(held()).toHaveLength(2)

  paint()
  const [page, islands] = document.scripts
  expect(page).toHaveAttribute('src', expect.stringMatching(/\/page\.js$/))
  expect(islands).toHaveAttribute('src', expect.stringMatching(/\/islands\.js$/))
  expect(page).toHaveAttribute('type', 'module')
  await fontsThere()
})

test('fonts are added together', async () => {
  let arrive = () => {}
  load = () => new Promise((resolve) => (arrive = resolve))
  begin(document)
  paint()
  arrive()
  await Promise.resolve()
  expect(added).toEqual([])
})

test('a font that does not come leaves the page as it is', async () => {
  load = () => Promise.reject(new Error('offline'))
  begin(document)
  paint()
  await new Promise((resolve) => setImmediate(resolve))
  expect(added).toEqual([])
  expect(sessionStorage.getItem('fledge.fonts')).toBeNull()
})

test('what begins twice comes once', () => {
  begin(document)
  paint()
  paint()
  expect(document.scripts).toHaveLength(2)
})

test('fonts that the browser has come at once', () => {
  sessionStorage.setItem('fledge.fonts', '1')
  begin(document)
  expect(document.querySelector('style')).toHaveTextContent('@font-face{font-family:A}')
  expect(held()).toHaveLength(2)
})

test('storage that is refused changes nothing', () => {
  vi.spyOn(Storage.prototype, 'getItem').mockImplementation(() => {
    throw new DOMException('refused', 'SecurityError')
  })
  begin(document)
  paint()
  expect(held()).toHaveLength(0)
})

test('a page that nobody sees begins at once', () => {
  vi.spyOn(document, 'hidden', 'get').mockReturnValue(true)
  begin(document)
  expect(held()).toHaveLength(0)
})

test('a page that is left before it was painted begins then', () => {
  begin(document)
  document.dispatchEvent(new Event('visibilitychange'))
  expect(held()).toHaveLength(0)
})

test('a browser that does not tell of paints begins at once', () => {
  Object.assign(PerformanceObserver, { supportedEntryTypes: [] })
  begin(document)
  expect(held()).toHaveLength(0)
})

test('patience ends', () => {
  vi.useFakeTimers()
  begin(document)
  vi.runAllTimers()
  expect(held()).toHaveLength(0)
  vi.useRealTimers()
})
