import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { observePage, recordView } from './observe'
import { announceProblem } from './problems'

const track = vi.hoisted(() => vi.fn().mockResolvedValue(undefined))
const askForConsent = vi.hoisted(() => vi.fn())
vi.mock('./analytics', () => ({ track }))
vi.mock('./consent-banner', () => ({ askForConsent }))

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
  document.body.innerHTML = '<button data-event="other">Other</button>'
  document.querySelector('button')!.click()
  await sent('Button Click', { label: 'other' })
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

test('records what the Navigation API tells of, where there is one', async () => {
  stop()
  const navigation = new EventTarget()
  vi.stubGlobal('navigation', navigation)
  stop = observePage()
  const before = window.location.href
  window.history.replaceState(null, '', '/admin?tab=native')
  expect(window.location.href).not.toBe(before)
  navigation.dispatchEvent(new Event('currententrychange'))
  await sent('Page View', undefined)
  expect(track).toHaveBeenCalledTimes(1)
})

test('records a view of where the page was', async () => {
  const arrival = new URL('/profile?success=true', window.location.href)
  recordView(arrival.href)
  await vi.waitFor(() => expect(track.mock.calls).toEqual([['Page View', undefined, arrival]]))
})

test('records clicks on what has a name, by that name', async () => {
  document.body.innerHTML =
    '<p>text</p><button data-event="refresh_users" aria-label="Refresh"><span>Refresh</span></button>'
  document.querySelector('p')!.click()
  document.querySelector('span')!.click()
  await sent('Button Click', { label: 'refresh_users' })
  expect(track).toHaveBeenCalledTimes(1)
})

test.each([
  '<button aria-label="Sign out of Jane Doe’s MacBook">Sign out</button>',
  '<button data-event="Sign out of Jane Doe’s MacBook">Sign out</button>',
  '<button data-event="jane@example.com">Sign out</button>',
  '<button data-event>Sign out</button>',
])('says nothing of a control without a name: %s', async (html) => {
  document.body.innerHTML = `${html}<a data-event="other" href="#o">Other</a>`
  document.querySelector('button')!.click()
  document.querySelector('a')!.click()
  await sent('Button Click', { label: 'other' })
  expect(track.mock.calls.filter(([event]) => event === 'Button Click')).toHaveLength(1)
})

test('records a form by its name and never what is in it', async () => {
  document.body.innerHTML = '<form name="hero_section"><input value="ada@example.com"></form>'
  document.querySelector('form')!.dispatchEvent(new SubmitEvent('submit', { bubbles: true }))
  await sent('Form Submission', { label: 'hero_section' })
  expect(JSON.stringify(track.mock.calls)).not.toContain('ada')
})

test('records problems by the names that the code gives them, and nothing else of them', async () => {
  announceProblem('No space left for Janes testers.csv')
  announceProblem('join_failed')
  await sent('Error', { label: 'join_failed' })
  expect(track).toHaveBeenCalledTimes(1)
})

test('does not record what an element could not load', async () => {
  document.body.innerHTML = '<img>'
  document.querySelector('img')!.dispatchEvent(new Event('error'))
  announceProblem('another')
  await sent('Error', { label: 'another' })
  expect(track).toHaveBeenCalledTimes(1)
})

test.each([
  [new TypeError('No answer for Jane'), 'TypeError'],
  [Object.assign(new Error('Jane refused'), { name: 'NotAllowedError' }), 'NotAllowedError'],
  [Object.assign(new Error('x'), { name: 'Jane Doe’s error' }), 'Error'],
  ['No answer for Jane', 'Error'],
  [{ name: 'Jane' }, 'Error'],
])(
  'records the kind of an error that nobody handled, not its message: %s',
  async (reason, label) => {
    window.dispatchEvent(Object.assign(new Event('unhandledrejection'), { reason }))
    await sent('Error', { label })
    track.mockClear()
    const message = 'Uncaught error for Jane'
    window.dispatchEvent(Object.assign(new Event('error'), { error: reason, message }))
    await sent('Error', { label })
    expect(JSON.stringify(track.mock.calls)).not.toContain('Jane')
  },
)

test('stops', async () => {
  stop()
  announceProblem('late')
  window.history.replaceState(null, '', '#late')
  window.dispatchEvent(new Event('hashchange'))
  await Promise.resolve()
  expect(track).not.toHaveBeenCalled()
})
