import { beforeEach, expect, test, vi } from 'vitest'
import { begin } from './begin'

let paint: () => void

beforeEach(() => {
  document.head.innerHTML = `
    <script type="text/held" data-type="module" src="/page.js"></script>
    <noscript data-fonts>&lt;style id="fonts"&gt;&lt;/style&gt;</noscript>`
  document.body.innerHTML = '<script type="text/held" src="/app.js" async="" id="_R_"></script>'
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
  // jsdom reads the content of noscript as markup; a browser with scripts, as text.
  const fonts = document.querySelector('noscript')
  if (fonts) fonts.textContent = '<style id="fonts"></style>'
})

const held = () => document.querySelectorAll('[type="text/held"]')

test('fonts and scripts wait for the first paint', () => {
  begin(document)
  expect(held()).toHaveLength(2)
  expect(document.querySelector('style#fonts')).toBeNull()

  paint()
  expect(held()).toHaveLength(0)
  expect(document.querySelector('style#fonts')).not.toBeNull()
})

test('a script comes with what it had', () => {
  begin(document)
  paint()
  const [page, app] = document.scripts
  expect(page).toHaveAttribute('type', 'module')
  expect(page).not.toHaveAttribute('data-type')
  expect(page).toHaveAttribute('src', '/page.js')
  expect(app).toHaveAttribute('async')
  expect(app).toHaveAttribute('id', '_R_')
  expect(app).not.toHaveAttribute('type')
})

test('what begins twice comes once', () => {
  begin(document)
  paint()
  paint()
  expect(document.scripts).toHaveLength(2)
  expect(document.querySelectorAll('style#fonts')).toHaveLength(1)
})

test('fonts that the browser has come at once', () => {
  sessionStorage.setItem('fledge.fonts', '1')
  begin(document)
  expect(document.querySelector('style#fonts')).not.toBeNull()
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
