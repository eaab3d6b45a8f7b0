import { screen, within } from '@testing-library/dom'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { parseSettings, type Settings } from '@/config/settings'
import { violations } from '@/testing/axe'
import { askForConsent } from './consent-banner'
import { storeConsent } from './consent'

const applyConsent = vi.hoisted(() => vi.fn())
vi.mock('./analytics', () => ({ applyConsent }))
const loadSettings = vi.hoisted(() => vi.fn<() => Promise<Settings>>())
vi.mock('@/config/settings', async (original) => ({
  ...(await original<object>()),
  loadSettings,
}))

const withKey = { analytics: { measurementId: 'G-TEST' } }

const banner = () => screen.queryByRole('region', { name: 'Privacy choices' })
const link = () => screen.getByRole('button', { name: 'Privacy choices' })

beforeEach(() => {
  applyConsent.mockReset()
  loadSettings.mockReset().mockResolvedValue(parseSettings(withKey))
  document.body.innerHTML =
    '<main><h1>Page</h1></main><ul><li data-privacy-choices><button type="button">Privacy choices</button></li></ul>'
})
afterEach(() => {
  delete document.documentElement.dataset.analytics
  window.history.replaceState(null, '', '/')
})

test('asks once, without taking the focus, and keeps the answer', async () => {
  await askForConsent()
  const region = banner()!
  expect(document.body).toHaveFocus()
  expect(await violations(region)).toEqual([])
  await userEvent.click(within(region).getByRole('button', { name: 'Decline' }))
  expect(banner()).toBeNull()
  expect(applyConsent).toHaveBeenCalledOnce()
  await askForConsent()
  expect(banner()).toBeNull()
})

test('the footer asks again, says what holds, and takes another answer', async () => {
  await askForConsent()
  await userEvent.click(screen.getByRole('button', { name: 'Accept' }))
  await userEvent.click(link())
  expect(banner()).toHaveFocus()
  expect(banner()).toHaveTextContent('You have accepted this.')
  await userEvent.keyboard('{Escape}')
  expect(banner()).toBeNull()
  expect(link()).toHaveFocus()
  await userEvent.click(link())
  await userEvent.click(screen.getByRole('button', { name: 'Decline' }))
  expect(link()).toHaveFocus()
  expect(applyConsent).toHaveBeenCalledTimes(2)
  expect(localStorage.getItem('fledge_analytics')).toBe('declined')
})

test('an answer in another tab is an answer here', async () => {
  await askForConsent()
  localStorage.setItem('fledge_analytics', 'declined')
  window.dispatchEvent(new StorageEvent('storage', { key: 'another' }))
  expect(applyConsent).not.toHaveBeenCalled()
  window.dispatchEvent(new StorageEvent('storage', { key: 'fledge_analytics' }))
  expect(banner()).toBeNull()
  expect(applyConsent).toHaveBeenCalledOnce()
})

const leave = () => window.dispatchEvent(new Event('pagehide'))
const comeBack = () =>
  window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))

test('an answer on another page is an answer here once the visitor comes back', async () => {
  await askForConsent()
  leave()
  localStorage.setItem('fledge_analytics', 'accepted')
  comeBack()
  expect(banner()).toBeNull()
  expect(applyConsent).toHaveBeenCalledTimes(1)

  leave()
  localStorage.setItem('fledge_analytics', 'declined')
  comeBack()
  expect(applyConsent).toHaveBeenCalledTimes(2)
})

test.each(['accepted', null] as const)('coming back changes nothing of %s', async (answer) => {
  if (answer) storeConsent(answer)
  await askForConsent()
  leave()
  comeBack()
  expect(banner() === null).toBe(answer !== null)
  expect(applyConsent).not.toHaveBeenCalled()
})

test.each<[string, () => void]>([
  ['declined', () => storeConsent('declined')],
  ['asks not to be tracked', () => vi.stubGlobal('navigator', { doNotTrack: '1' })],
])('removes what is left of the services of who %s', async (_, given) => {
  given()
  localStorage.setItem('ph_phc_1_posthog', '{}')
  await askForConsent()
  expect(localStorage.getItem('ph_phc_1_posthog')).toBeNull()
})

test('keeps what the services store of who accepted', async () => {
  storeConsent('accepted')
  localStorage.setItem('ph_phc_1_posthog', '{}')
  await askForConsent()
  expect(localStorage.getItem('ph_phc_1_posthog')).toBe('{}')
})

test.each<[string, object, () => void]>([
  ['without a key', {}, () => {}],
  [
    'a browser that asks not to be tracked',
    { analytics: { posthogKey: 'phc_test' } },
    () => vi.stubGlobal('navigator', { globalPrivacyControl: true }),
  ],
])('does not ask %s', async (_, settings, given) => {
  given()
  loadSettings.mockResolvedValue(parseSettings(settings))
  await askForConsent()
  expect(banner()).toBeNull()
  expect(document.documentElement).not.toHaveAttribute('data-analytics')
})

test('does not ask on the sign-in pages, but after them', async () => {
  window.history.replaceState(null, '', '/auth')
  await askForConsent()
  expect(banner()).toBeNull()
  window.history.replaceState(null, '', '/profile')
  await askForConsent()
  expect(banner()).toBeVisible()
})
