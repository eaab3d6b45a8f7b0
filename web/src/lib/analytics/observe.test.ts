import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import button from '@/components/button.module.css'
import { observePage, recordView } from './observe'
import { announceProblem } from './problems'

const track = vi.hoisted(() => vi.fn().mockResolvedValue(undefined))
const askForConsent = vi.hoisted(() => vi.fn())
vi.mock('./analytics', () => ({ track }))
vi.mock('./ask', () => ({ askForConsent }))

let stop: () => void

beforeEach(() => {
  track.mockReset().mockResolvedValue(undefined)
  askForConsent.mockReset().mockResolvedValue(undefined)
  stop = observePage()
})
afterEach(() => stop())

const sent = (...event: unknown[]) =>
  vi.waitFor(() => expect(track).toHaveBeenCalledWith(...event, expect.any(URL)))

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

test.each(['pushState', 'replaceState'] as const)('records what %s writes', async (how) => {
  window.history[how](null, '', `/admin?tab=${how}`)
  await vi.waitFor(() =>
    expect(track.mock.calls).toEqual([
      ['Page View', undefined, new URL(`/admin?tab=${how}`, window.location.href)],
    ]),
  )
})

test('records a view of where the page was', async () => {
  const arrival = new URL('/profile?success=true', window.location.href)
  recordView(arrival.href)
  await vi.waitFor(() => expect(track.mock.calls).toEqual([['Page View', undefined, arrival]]))
})

test('records clicks on buttons by their label', async () => {
  document.body.innerHTML = '<p>text</p><button><span> Refresh </span></button>'
  document.querySelector('p')!.click()
  document.querySelector('span')!.click()
  await sent('Button Click', { label: 'Refresh' })
  expect(track).toHaveBeenCalledTimes(1)
})

test.each([
  [`<a class="${button.primary}" href="#d">Download for Mac</a>`, 'Download for Mac'],
  [`<a class="chakra-button" href="#b">Book a demo</a>`, 'Book a demo'],
  ['<div role="menuitem">Sign out</div>', 'Sign out'],
  ['<button aria-label="Account menu">J</button>', 'Account menu'],
  ['<button aria-label="Approve ada@example.com">✓</button>', 'Approve …'],
])('takes %s for a button', async (html, label) => {
  document.body.innerHTML = html
  document.body.querySelector<HTMLElement>(':scope > *')!.click()
  await sent('Button Click', { label })
})

test('a link in a text is no button', async () => {
  document.body.innerHTML = '<a href="#terms">Terms</a><button>Other</button>'
  document.querySelector('a')!.click()
  document.querySelector('button')!.click()
  await sent('Button Click', { label: 'Other' })
  expect(track.mock.calls.filter(([event]) => event === 'Button Click')).toHaveLength(1)
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

test('does not record what an element could not load', async () => {
  document.body.innerHTML = '<img>'
  document.querySelector('img')!.dispatchEvent(new Event('error'))
  announceProblem('another')
  await sent('Error', { label: 'another' })
  expect(track).toHaveBeenCalledTimes(1)
})

test('records errors that nobody handled', async () => {
  const event = new Event('unhandledrejection')
  window.dispatchEvent(Object.assign(event, { reason: new Error('No answer for ada@example.com') }))
  await sent('Error', { label: 'No answer for …' })
})

test('stops', async () => {
  stop()
  announceProblem('late')
  window.history.replaceState(null, '', '#late')
  window.dispatchEvent(new Event('hashchange'))
  await Promise.resolve()
  expect(track).not.toHaveBeenCalled()
})
