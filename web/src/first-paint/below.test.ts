import { beforeEach, expect, test, vi } from 'vitest'
import { leaveBelow } from './below'

let turn: (took: number) => void
let sheets: object[]

beforeEach(() => {
  document.body.innerHTML = '<p>top</p><p data-below>a</p><p data-below>b</p><p data-below>c</p>'
  window.history.replaceState(null, '', '/')
  comeBy('navigate')
  turn = () => {}
  vi.stubGlobal('requestIdleCallback', (callback: () => void) => {
    turn = (took) => {
      vi.spyOn(performance, 'now').mockReturnValueOnce(0).mockReturnValue(took)
      callback()
    }
  })
  // jsdom has no constructed style sheets.
  vi.stubGlobal(
    'CSSStyleSheet',
    class {
      replaceSync() {}
    },
  )
  sheets = []
  Object.defineProperty(document, 'adoptedStyleSheets', {
    configurable: true,
    get: () => sheets,
    set: (value: object[]) => (sheets = value),
  })
})

function comeBy(type: string) {
  const entries = [{ type }] as unknown as PerformanceEntryList
  vi.spyOn(performance, 'getEntriesByType').mockReturnValue(entries)
}

const left = () => document.querySelectorAll('[data-below]').length

test('what is below waits until it is asked for, then for time', () => {
  const layOut = leaveBelow(document)
  expect(sheets).toHaveLength(1)
  expect(left()).toBe(3)

  layOut()
  turn(20)
  expect(left()).toBe(2)
  turn(1)
  expect(left()).toBe(0)
  expect(sheets).toHaveLength(0)
})

test.each(['pointerdown', 'keydown'])('who does something (%s) waits for nothing', (sign) => {
  leaveBelow(document)
  document.body.dispatchEvent(new Event(sign, { bubbles: true }))
  expect(sheets).toHaveLength(0)
})

test('a page with nothing below is left as it is', () => {
  document.body.innerHTML = ''
  leaveBelow(document)()
  turn(1)
  expect(sheets).toHaveLength(0)
})

test('who comes to a part of the page finds all of it laid out', () => {
  window.history.replaceState(null, '', '/#features')
  leaveBelow(document)
  expect(sheets).toHaveLength(0)
})

test.each(['reload', 'back_forward'])('so does who comes by %s', (type) => {
  comeBy(type)
  leaveBelow(document)
  expect(sheets).toHaveLength(0)
})

test('and who has a browser that does not tell when it has time', () => {
  vi.unstubAllGlobals()
  leaveBelow(document)
  expect(sheets).toHaveLength(0)
})
