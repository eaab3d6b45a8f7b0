import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { retryScripts } from './retry-scripts'

// Once: it listens for as long as the page lives.
retryScripts()

beforeEach(() => {
  vi.useFakeTimers()
  document.body.innerHTML = '<p id="not-loaded" hidden>Reload</p>'
})
afterEach(() => void vi.useRealTimers())

function add(name: string, attributes: Record<string, string> = {}) {
  const script = document.createElement('script')
  script.setAttribute('src', `${location.origin}/_next/static/chunks/${name}.js`)
  for (const [key, value] of Object.entries(attributes)) script.setAttribute(key, value)
  document.body.append(script)
  return script
}

const scripts = () => [...document.querySelectorAll('script')].map(({ src }) => src)
const fail = () => document.querySelector('script')?.dispatchEvent(new Event('error'))
const notice = () => document.getElementById('not-loaded')

test('a script that does not arrive is requested again in its place', () => {
  const script = add('a', { async: '' })
  fail()
  vi.runAllTimers()
  expect(script.isConnected).toBe(false)
  expect(scripts()).toEqual([script.src])
  expect(document.querySelector('script')).toHaveAttribute('async')
  expect(notice()).not.toBeVisible()
})

test('a module is requested under another address, for a failed one is remembered', () => {
  const { src } = add('b', { type: 'module' })
  fail()
  vi.runAllTimers()
  expect(scripts()).toEqual([`${src}?retry=1`])
  fail()
  vi.runAllTimers()
  expect(scripts()).toEqual([`${src}?retry=2`])
})

test('a script that never arrives is replaced by words, until the network is back', () => {
  const script = add('c')
  for (let attempt = 0; attempt < 4; attempt++) {
    fail()
    expect(notice()).not.toBeVisible()
    vi.runAllTimers()
  }
  fail()
  expect(notice()).toBeVisible()
  const last = document.querySelector('script')
  window.dispatchEvent(new Event('online'))
  expect(last?.isConnected).toBe(false)
  expect(scripts()).toEqual([script.src])
  expect(notice()).toBeVisible()
  document.querySelector('script')?.dispatchEvent(new Event('load'))
  expect(notice()).not.toBeVisible()
})

test('the words stand there until everything has arrived', () => {
  const [module, sheet] = [add('i', { type: 'module' }), document.createElement('link')]
  sheet.setAttribute('rel', 'stylesheet')
  sheet.setAttribute('href', `${location.origin}/_next/static/chunks/i.css`)
  document.body.append(sheet)
  const both = () => [...document.querySelectorAll('script, link')]
  for (let attempt = 0; attempt < 5; attempt++) {
    for (const element of both()) element.dispatchEvent(new Event('error'))
    vi.advanceTimersByTime(4000)
  }
  window.dispatchEvent(new Event('online'))
  expect(module.isConnected || sheet.isConnected).toBe(false)
  both()[0]?.dispatchEvent(new Event('load'))
  expect(notice()).toBeVisible()
  both()[1]?.dispatchEvent(new Event('load'))
  expect(notice()).not.toBeVisible()
})

test('a form that was sent meanwhile is sent by the browser', () => {
  const form = document.createElement('form')
  form.dataset.submitted = ''
  document.body.append(form)
  const submit = vi.spyOn(form, 'submit').mockImplementation(() => {})
  add('d')
  for (let attempt = 0; attempt < 5; attempt++) {
    fail()
    vi.runAllTimers()
  }
  expect(submit).toHaveBeenCalledOnce()
})

test('a style sheet is requested again, a script of somebody else is not', () => {
  document.body.innerHTML = `<link rel="stylesheet" href="${location.origin}/_next/static/chunks/a.css">`
  const sheet = document.querySelector('link')
  sheet?.dispatchEvent(new Event('error'))
  const foreign = document.createElement('script')
  foreign.setAttribute('src', 'https://www.googletagmanager.com/gtag/js')
  document.body.append(foreign)
  foreign.dispatchEvent(new Event('error'))
  vi.runAllTimers()
  expect(sheet?.isConnected).toBe(false)
  expect(document.querySelectorAll('link')).toHaveLength(1)
  expect(foreign.isConnected).toBe(true)
})

test('while a script neither arrives nor fails, words stand there', () => {
  const [first, second] = [add('e'), add('f')]
  const arrived = add('g')
  // jsdom does not reflect the attribute.
  Object.assign(add('h', { nomodule: '' }), { noModule: true })
  vi.spyOn(performance, 'getEntriesByType').mockReturnValue([
    { name: arrived.src } as PerformanceEntry,
  ])
  retryScripts()
  vi.advanceTimersByTime(14_000)
  expect(notice()).not.toBeVisible()
  vi.advanceTimersByTime(2000)
  expect(notice()).toBeVisible()
  first.dispatchEvent(new Event('load'))
  expect(notice()).toBeVisible()
  second.dispatchEvent(new Event('error'))
  vi.runAllTimers()
  expect(second.isConnected).toBe(false)
  expect(notice()).toBeVisible()
  document.querySelector(`[src="${second.src}"]`)?.dispatchEvent(new Event('load'))
  expect(notice()).not.toBeVisible()
})

test('it needs nothing but the browser', () => {
  expect(() => new Function(`(${retryScripts.toString()})`)).not.toThrow()
})
