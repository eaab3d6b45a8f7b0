import { act, fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { renderToString } from 'react-dom/server'
import { afterEach, expect, test } from 'vitest'
import { violations } from '@/testing/axe'
import { Header } from './header'

const names = () =>
  screen.getAllByRole('link').map((link) => link.getAttribute('aria-label') ?? link.textContent)

afterEach(() => {
  document.cookie = 'fledge_hint=; Max-Age=0'
  Object.defineProperty(window, 'scrollY', { value: 0, configurable: true })
})

test('shows a stranger the page, the blog and the waitlist', async () => {
  const { container } = render(<Header />)
  expect(names()).toEqual(['Fledge', 'Features', 'Blog', 'Stats', 'Support', 'Join Waitlist'])
  expect(screen.getByText('Coming Soon')).toBeVisible()
  expect(await violations(container)).toEqual([])
})

test.each([
  ['A', 'A'],
  ['', 'U'],
])('shows a signed-in visitor (hint %j) the profile', async (hint, letter) => {
  document.cookie = `fledge_hint=${hint}`
  const { container } = render(<Header />)
  expect(screen.getByRole('link', { name: 'Profile' })).toHaveAttribute('href', '/profile')
  const avatar = screen.getByRole('link', { name: `Your profile (${letter})` })
  expect(avatar).toHaveAttribute('href', '/profile')
  expect(avatar).toHaveTextContent(letter)
  expect(screen.queryByText('Coming Soon')).not.toBeInTheDocument()
  expect(await violations(container)).toEqual([])
})

test.each([
  [50, 'false'],
  [51, 'true'],
])('after %i px of scrolling, translucent is %s', (offset, translucent) => {
  render(<Header />)
  Object.defineProperty(window, 'scrollY', { value: offset, configurable: true })
  fireEvent.scroll(window)
  expect(screen.getByRole('banner')).toHaveAttribute('data-translucent', translucent)
})

test('closes the menu when an anchor is chosen, and on Escape', async () => {
  render(<Header />)
  const toggle = screen.getByRole('button', { name: 'Menu' })
  await userEvent.click(toggle)
  expect(toggle).toHaveAttribute('aria-expanded', 'true')
  await userEvent.click(screen.getByRole('link', { name: 'Features' }))
  expect(toggle).toHaveAttribute('aria-expanded', 'false')

  await userEvent.click(toggle)
  screen.getByRole('link', { name: 'Blog' }).focus()
  await userEvent.keyboard('{Escape}')
  expect(toggle).toHaveFocus()
  expect(toggle).toHaveAttribute('aria-expanded', 'false')
})

test('closes the menu behind whoever walks on by keyboard', async () => {
  render(
    <>
      <Header />
      <input aria-label="Below" />
    </>,
  )
  const toggle = screen.getByRole('button', { name: 'Menu' })
  await userEvent.click(toggle)
  screen.getByRole('link', { name: 'Features' }).focus()
  expect(toggle).toHaveAttribute('aria-expanded', 'true')
  screen.getByRole('textbox', { name: 'Below' }).focus()
  await waitFor(() => expect(toggle).toHaveAttribute('aria-expanded', 'false'))
})

test('closes the menu on a tap outside, and not on one inside', async () => {
  render(
    <>
      <Header />
      <p>Below</p>
    </>,
  )
  const toggle = screen.getByRole('button', { name: 'Menu' })
  await userEvent.click(toggle)
  await userEvent.click(screen.getByRole('banner'))
  expect(toggle).toHaveAttribute('aria-expanded', 'true')
  await userEvent.click(screen.getByText('Below'))
  expect(toggle).toHaveAttribute('aria-expanded', 'false')
})

test.each([
  ['the window has the focus again', () => window.dispatchEvent(new Event('focus'))],
  ['the tab is shown again', () => document.dispatchEvent(new Event('visibilitychange'))],
  ['Back shows the page as it was left', () => window.dispatchEvent(new Event('pageshow'))],
])('knows who is signed in when %s', async (_, comeBack) => {
  render(<Header />)
  document.cookie = 'fledge_hint=Z'
  act(() => void comeBack())
  expect(await screen.findByRole('link', { name: 'Your profile (Z)' })).toBeVisible()
  expect(screen.queryByText('Coming Soon')).not.toBeInTheDocument()

  document.cookie = 'fledge_hint=; Max-Age=0'
  act(() => void comeBack())
  expect(await screen.findByText('Coming Soon')).toBeVisible()
  expect(screen.queryByRole('link', { name: 'Profile' })).not.toBeInTheDocument()
})

test('the exported header is that of a stranger, whoever builds it', () => {
  document.cookie = 'fledge_hint=Z'
  expect(renderToString(<Header />)).toContain('Coming Soon')
})
