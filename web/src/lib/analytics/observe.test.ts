import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { observePage, recordView } from './observe'
import { announceProblem } from './problems'

const track = vi.hoisted(() => vi.fn().mockResolvedValue(undefined))
vi.mock('./analytics', () => ({ track }))

let stop: () => void

beforeEach(() => {
  track.mockReset().mockResolvedValue(undefined)
  stop = observePage()
})
afterEach(() => stop())

const sent = (...event: unknown[]) => vi.waitFor(() => expect(track).toHaveBeenCalledWith(...event))

test('records the view of a page and of an anchor on it', async () => {
  recordView()
  await sent('Page View', {})
  track.mockClear()
  window.history.replaceState(null, '', '#stats')
  window.dispatchEvent(new Event('popstate'))
  window.dispatchEvent(new Event('hashchange'))
  await sent('Page View', {})
  await new Promise((resolve) => setTimeout(resolve))
  expect(track).toHaveBeenCalledTimes(1)
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
  await sent('Form Submission', { form: 'hero_section' })
  expect(JSON.stringify(track.mock.calls)).not.toContain('ada')
})

test('records errors that were shown', async () => {
  announceProblem('Network error. Please try again.')
  await sent('Error', { message: 'Network error. Please try again.' })
})

test('stops', async () => {
  stop()
  announceProblem('late')
  window.history.replaceState(null, '', '#late')
  window.dispatchEvent(new Event('hashchange'))
  await Promise.resolve()
  expect(track).not.toHaveBeenCalled()
})
