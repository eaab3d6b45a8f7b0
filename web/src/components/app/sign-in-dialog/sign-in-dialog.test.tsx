import { fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { onProblem } from '@/lib/analytics/problems'
import { leaveTo } from '@/lib/leave'
import { violations } from '@/testing/axe'
import { failure, offline, onPost } from '@/testing/server'
import { SignInDialog } from './sign-in-dialog'

vi.mock('@/lib/leave', () => ({ leaveTo: vi.fn() }))
beforeEach(() => vi.mocked(leaveTo).mockClear())

function open(onClose = vi.fn()) {
  render(<SignInDialog open onClose={onClose} returnTo="/closed-beta" />)
  return { onClose, dialog: screen.getByRole('dialog', { name: 'Sign in' }) }
}

test('names its buttons and its terms', async () => {
  const { dialog } = open()
  const inside = within(dialog)
  expect(inside.getByRole('button', { name: 'Continue with Google' })).not.toHaveAttribute(
    'aria-disabled',
  )
  expect(inside.getByRole('button', { name: 'Continue with Apple' })).not.toHaveAttribute(
    'aria-disabled',
  )
  expect(inside.getByRole('link', { name: 'Terms' })).toHaveAttribute('href', '/terms')
  expect(inside.getByRole('link', { name: 'Privacy Policy' })).toHaveAttribute('href', '/privacy')
  expect(await violations(dialog)).toEqual([])
})

test.each(['google', 'apple'] as const)('starts a sign-in with %s', async (provider) => {
  const calls: unknown[] = []
  onPost('/api/auth/signin/{provider}', ({ url, body }) => {
    calls.push([url.pathname, body])
    return { url: 'https://provider.example/authorize' }
  })
  open()

  await userEvent.click(screen.getByRole('button', { name: new RegExp(provider, 'i') }))

  await vi.waitFor(() =>
    expect(leaveTo).toHaveBeenCalledExactlyOnceWith('https://provider.example/authorize'),
  )
  expect(calls).toEqual([
    [`/api/auth/signin/${provider}`, { return_to: '/auth/callback?redirect=%2Fclosed-beta' }],
  ])
})

test.each([
  [
    "the provider's message",
    () => failure(503, 'Google is not answering.'),
    'Google is not answering.',
  ],
  ['a general text without one', () => offline(), 'An error occurred'],
])('shows %s', async (_, answer, text) => {
  onPost('/api/auth/signin/{provider}', answer)
  const report = vi.fn()
  onTestFinished(onProblem(report))
  open()

  await userEvent.click(screen.getByRole('button', { name: 'Continue with Apple' }))

  expect(await screen.findByText(text)).toBeInTheDocument()
  expect(report.mock.calls).toEqual([['sign_in_failed']])
  await waitFor(() =>
    expect(screen.getByRole('button', { name: 'Continue with Apple' })).not.toHaveAttribute(
      'aria-disabled',
    ),
  )
  expect(leaveTo).not.toHaveBeenCalled()
})

test('offers its buttons again when the page comes back as it was left', async () => {
  onPost('/api/auth/signin/{provider}', () => ({ url: 'https://provider.example/authorize' }))
  open()
  await userEvent.click(screen.getByRole('button', { name: 'Continue with Google' }))
  await vi.waitFor(() => expect(leaveTo).toHaveBeenCalled())
  await waitFor(() =>
    expect(screen.getByRole('button', { name: 'Continue with Google' })).toHaveAttribute(
      'aria-disabled',
      'true',
    ),
  )
  fireEvent(window, new PageTransitionEvent('pageshow', { persisted: true }))
  await waitFor(() =>
    expect(screen.getByRole('button', { name: 'Continue with Google' })).not.toHaveAttribute(
      'aria-disabled',
    ),
  )
})

test('closes by its button', async () => {
  const { onClose } = open()
  await userEvent.click(screen.getByRole('button', { name: 'Close' }))
  expect(onClose).toHaveBeenCalledOnce()
})

test('says before the click that Google refuses the browser of an app', async () => {
  vi.spyOn(navigator, 'userAgent', 'get').mockReturnValue(
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/22B83 Instagram 358.0.0.20.101',
  )
  const user = userEvent.setup()
  const { dialog } = open()
  expect(within(dialog).getByText(/browser of Instagram, where Google refuses/)).toBeVisible()
  expect(await violations(dialog)).toEqual([])
  await user.click(within(dialog).getByRole('button', { name: 'Copy link' }))
  expect(await within(dialog).findByText('Link copied. Paste it into your browser.')).toBeVisible()
  expect(await navigator.clipboard.readText()).toBe(window.location.href)

  vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('refused'))
  await user.click(within(dialog).getByRole('button', { name: 'Copy link' }))
  expect(await within(dialog).findByText(/Use the app's menu/)).toBeVisible()
})

test('says before the click that cookies are needed', () => {
  vi.spyOn(navigator, 'cookieEnabled', 'get').mockReturnValue(false)
  const { dialog } = open()
  expect(within(dialog).getByText(/blocks cookies, and signing in needs them/)).toBeVisible()
})

test('says nothing in a browser that can sign in', () => {
  const { dialog } = open()
  expect(within(dialog).queryByRole('button', { name: 'Copy link' })).not.toBeInTheDocument()
})
