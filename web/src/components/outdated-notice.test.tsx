import { readFileSync } from 'node:fs'
import path from 'node:path'
import { screen } from '@testing-library/react'
import { renderToStaticMarkup } from 'react-dom/server'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { OutdatedNotice } from './outdated-notice'

const markup = renderToStaticMarkup(<OutdatedNotice />)
const script = /<script[^>]*>(.*)<\/script>/s.exec(markup)![1]!

/** Shows the markup as a browser does that runs nothing but the inline script. */
function open() {
  document.body.innerHTML = markup
  new Function(script)()
}

const notice = () => screen.queryByRole('alert')

/** What the supported browsers have and jsdom lacks. */
beforeEach(() => {
  vi.stubGlobal('IntersectionObserver', class {})
  HTMLElement.prototype.inert = false
  Object.defineProperty(HTMLScriptElement.prototype, 'noModule', {
    configurable: true,
    value: false,
  })
})
afterEach(() => {
  Reflect.deleteProperty(HTMLElement.prototype, 'inert')
  Reflect.deleteProperty(HTMLScriptElement.prototype, 'noModule')
})

test('a browser that is supported shows nothing', () => {
  open()
  expect(notice()).toBeNull()
})

test.each<[string, object]>([
  ['noModule', HTMLScriptElement.prototype],
  ['inert', HTMLElement.prototype],
  ['IntersectionObserver', window],
  ['structuredClone', window],
  ['BroadcastChannel', window],
  ['at', Array.prototype],
])('a browser without %s says that it is too old', (name, owner) => {
  const had = Object.getOwnPropertyDescriptor(owner, name)!
  Reflect.deleteProperty(owner, name)
  try {
    open()
  } finally {
    Object.defineProperty(owner, name, had)
  }
  expect(notice()).toHaveTextContent(
    'This browser is too old for this page. Please use Safari 15.6 or later, or a current Chrome, Edge or Firefox.',
  )
  expect(notice()).toBeVisible()
})

test('its script can be read by the browsers that it is for', () => {
  expect(script).not.toMatch(/=>|`|\?\.|\?\?|\b(?:let|const|class|async|import)\b|\.\.\./)
})

test('its looks need nothing that they lack', () => {
  const css = readFileSync(path.resolve(import.meta.dirname, '../styles/base.css'), 'utf8')
  const rule = /^\.outdated-notice \{[^}]*\}/m.exec(css)?.[0]
  expect(rule).toBeDefined()
  expect(rule).not.toMatch(/[a-z]\(/)
})
