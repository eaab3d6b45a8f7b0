import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { WaitlistForm } from '@/components/waitlist-form/waitlist-form'
import { onPost } from '@/testing/server'
import { Header } from './header'

const scrollIntoView = vi.fn()

beforeEach(() => {
  scrollIntoView.mockClear()
  Element.prototype.scrollIntoView = scrollIntoView
  document.documentElement.style.scrollPaddingTop = '88px'
})
afterEach(() => document.documentElement.removeAttribute('style'))

/** Puts an element `top` pixels below the upper edge of a window that is 768 px high. */
function place(element: Element, top: number) {
  element.getBoundingClientRect = () => ({ top, bottom: top + 52 }) as DOMRect
}

function renderPage() {
  render(
    <>
      <Header />
      <WaitlistForm source="hero_section" />
      <WaitlistForm source="cta_section" />
    </>,
  )
  const [hero, below] = screen.getAllByRole('textbox', { name: 'Email address' })
  return { hero: hero!, below: below! }
}

const link = () => screen.getByRole('link', { name: 'Join Waitlist' })

test.each([
  ['in the window', 400, 3000, 'hero', false],
  ['near above', -300, 2000, 'hero', true],
  ['behind the header', 20, 3000, 'hero', true],
  ['near below', -2000, 900, 'below', true],
  ['at the end of the page', -4000, 300, 'below', false],
] as const)(
  '"Join Waitlist" leads to the form that is %s',
  async (_, first, second, to, scrolls) => {
    const forms = renderPage()
    place(forms.hero, first)
    place(forms.below, second)
    await userEvent.click(link())
    expect(forms[to]).toHaveFocus()
    expect(scrollIntoView.mock.contexts).toEqual(scrolls ? [forms[to]] : [])
    expect(window.location.hash).toBe('')
  },
)

test('it leads to the confirmation of who has joined', async () => {
  onPost('/api/add-waitlist-user', () => ({ message: 'Welcome.' }))
  const { hero } = renderPage()
  await userEvent.type(hero, 'ada@example.com{Enter}')
  const [first, second] = await screen.findAllByText('Welcome.')
  place(first!, -3000)
  place(second!, 900)
  await userEvent.click(link())
  expect(second).toHaveFocus()
})

test('without a form it is a link to the place where one should be', async () => {
  render(<Header />)
  const clicks: boolean[] = []
  document.addEventListener('click', ({ defaultPrevented }) => clicks.push(defaultPrevented), {
    once: true,
  })
  await userEvent.click(link())
  expect(clicks).toEqual([false])
  expect(link()).toHaveAttribute('href', '#join')
})
