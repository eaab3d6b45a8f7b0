import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { aSession } from '@/testing/session'
import { openGoogleTag } from './google-tag'

const ID = 'G-TEST'

/** jsdom loads no scripts: these are the outcomes of the tries, in order. */
let outcomes: ('load' | 'error')[]
let tried: string[]

beforeEach(() => {
  tried = []
  window.dataLayer = []
  vi.spyOn(document.head, 'append').mockImplementation((node) => {
    const script = node as HTMLScriptElement
    tried.push(script.src)
    queueMicrotask(() => script.dispatchEvent(new Event(outcomes.shift() ?? 'error')))
  })
})
afterEach(() => {
  vi.useRealTimers()
  delete window.dataLayer
})

const commands = () => (window.dataLayer ?? []).map((command) => [...(command as unknown[])])

test('denies everything, then allows the analytics alone, before the script comes', async () => {
  outcomes = ['load']
  await openGoogleTag(ID)
  expect(tried).toEqual(['https://www.googletagmanager.com/gtag/js?id=G-TEST'])
  const denied = 'denied'
  expect(commands()).toEqual([
    [
      'consent',
      'default',
      {
        ad_storage: denied,
        ad_user_data: denied,
        ad_personalization: denied,
        analytics_storage: denied,
      },
    ],
    ['consent', 'update', { analytics_storage: 'granted' }],
    ['js', expect.any(Date)],
    ['config', ID, expect.objectContaining({ send_page_view: false, page_referrer: '' })],
  ])
})

test('hands on path, category, label and value', async () => {
  outcomes = ['load']
  const tag = await openGoogleTag(ID)
  const page = { path: '/blog', search: '?n=1', hash: '' }
  tag.track('Page View', page)
  tag.track('Form Submission', page, { label: 'hero_section' })
  tag.identify(aSession().user)
  const [view, form, known] = commands().slice(-3)
  expect(view).toMatchObject([
    'event',
    'page_view',
    { page_path: '/blog?n=1', page_location: 'http://localhost:3000/blog?n=1' },
  ])
  expect(form).toMatchObject([
    'event',
    'form_submission',
    { event_category: 'Form Submission', event_label: 'hero_section', value: 1 },
  ])
  expect(known).toEqual(['set', { user_id: aSession().user.id }])
})

test('tries its script again after a second, and only once', async () => {
  vi.useFakeTimers()
  outcomes = ['error', 'load']
  const opening = openGoogleTag(ID)
  await vi.advanceTimersByTimeAsync(999)
  expect(tried).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(tried).toHaveLength(2)
  await opening

  outcomes = ['error', 'error']
  const failing = expect(openGoogleTag(ID)).rejects.toThrow('did not load')
  await vi.advanceTimersByTimeAsync(10_000)
  await failing
  expect(tried).toHaveLength(4)
})

test('stops, and begins again', async () => {
  outcomes = ['load']
  const tag = await openGoogleTag(ID)
  tag.consent(false)
  expect(commands().at(-1)).toEqual(['consent', 'update', { analytics_storage: 'denied' }])
  expect(window).toHaveProperty(`ga-disable-${ID}`, true)
  tag.consent(true)
  expect(window).toHaveProperty(`ga-disable-${ID}`, false)
})
