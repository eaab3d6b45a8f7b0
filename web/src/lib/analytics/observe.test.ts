import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { observePage, recordView } from './observe'
import { announceProblem } from './problems'

const track = vi.hoisted(() => vi.fn().mockResolvedValue(undefined))
const askForConsent = vi.hoisted(() => vi.fn())
vi.mock('./analytics', () => ({ track }))
vi.mock('./ask', () => ({ askForConsent }))

/** jsdom has no Navigation API. */
const navigation = new EventTarget()

let stop: () => void

beforeEach(() => {
  track.mockReset().mockResolvedValue(undefined)
  askForConsent.mockReset().mockResolvedValue(undefined)
  vi.stubGlobal('navigation', navigation)
  stop = observePage()
})
afterEach(() => stop())

const sent = (...event: unknown[]) => vi.waitFor(() => expect(track).toHaveBeenCalledWith(...event))

test('records the view of a page and of an anchor on it', async () => {
  recordView()
  await sent('Page View', undefined)
  track.mockClear()
  window.history.replaceState(null, '', '#stats')
  window.dispatchEvent(new Event('popstate'))
  window.dispatchEvent(new Event('hashchange'))
  await sent('Page View', undefined)
  await new Promise((resolve) => setTimeout(resolve))
  expect(track).toHaveBeenCalledTimes(1)
})

test('asks for consent on each page, and does not record the answer', async () => {
  window.history.replaceState(null, '', '/asks')
  recordView()
  await vi.waitFor(() => expect(askForConsent).toHaveBeenCalledOnce())
  await sent('Page View', undefined)
  document.body.innerHTML = '<section data-consent><button>Accept</button></section>'
  document.querySelector('button')!.click()
  document.body.innerHTML = '<button>Other</button>'
  document.querySelector('button')!.click()
  await sent('Button Click', { label: 'Other' })
  expect(track).toHaveBeenCalledTimes(2)
})

test('records an address that a script writes', async () => {
  window.history.replaceState(null, '', '/admin?tab=updates')
  navigation.dispatchEvent(new Event('currententrychange'))
  await sent('Page View', undefined)
})

test('records clicks on buttons by their label', async () => {
  document.body.innerHTML = '<p>text</p><button><span> Refresh </span></button>'
  document.querySelector('p')!.click()
  document.querySelector('span')!.click()
  await sent('Button Click', { label: 'Refresh' })
  expect(track).toHaveBeenCalledTimes(1)
})

test('records a form by its name and never what is in it', async () => {
  document.body.innerHTML = '<form name="hero_section"><input value="ada@example.com"></form>'
  document.querySelector('form')!.dispatchEvent(new SubmitEvent('submit', { bubbles: true }))
  await sent('Form Submission', { label: 'hero_section' })
  expect(JSON.stringify(track.mock.calls)).not.toContain('ada')
})

test('records errors that were shown', async () => {
  announceProblem('Network error. Please try again.')
  await sent('Error', { label: 'Network error. Please try again.' })
})

test('stops', async () => {
  stop()
  announceProblem('late')
  window.history.replaceState(null, '', '#late')
  window.dispatchEvent(new Event('hashchange'))
  await Promise.resolve()
  expect(track).not.toHaveBeenCalled()
})
