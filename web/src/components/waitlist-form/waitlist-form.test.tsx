import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { renderToString } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import { prepareToJoin } from '@/lib/api/join-waitlist'
import { violations } from '@/testing/axe'
import { failure, offline, onPost } from '@/testing/server'
import { WaitlistForm } from './waitlist-form'

vi.mock('@/lib/api/join-waitlist', { spy: true })

const field = () => screen.getByRole('textbox', { name: 'Email address' })
const join = () => screen.getByRole('button', { name: 'Join Waitlist' })

async function fillIn(email = 'ada@example.com') {
  await userEvent.type(field(), email)
  await userEvent.click(join())
}

test('asks for an email address', async () => {
  const { container } = render(<WaitlistForm source="hero_section" />)
  expect(field()).toBeRequired()
  expect(field()).toHaveAttribute('type', 'email')
  expect(await violations(container)).toEqual([])
})

test('cannot be submitted before the page is alive, and never into the address', async () => {
  const container = document.body.appendChild(document.createElement('div'))
  container.innerHTML = renderToString(<WaitlistForm source="hero_section" />)
  expect(container.querySelector('form')).toHaveAttribute('method', 'post')
  expect(join()).toBeDisabled()
  render(<WaitlistForm source="hero_section" />, { container, hydrate: true })
  expect(join()).toBeEnabled()
})

test.each(['hero_section', 'cta_section'] as const)('sends the address and %s', async (source) => {
  const bodies: unknown[] = []
  onPost('/api/add-waitlist-user', ({ body }) => {
    bodies.push(body)
    return { message: "You're on the waitlist!" }
  })
  const onJoined = vi.fn()
  render(<WaitlistForm source={source} onJoined={onJoined} />)

  await fillIn('  ada@example.com ')

  await waitFor(async () =>
    expect(await screen.findByText("You're on the waitlist!")).toHaveFocus(),
  )
  expect(bodies).toEqual([{ email: 'ada@example.com', source }])
  expect(onJoined).toHaveBeenCalledExactlyOnceWith("You're on the waitlist!")
})

test('joins with an address that is given, and no other', async () => {
  const bodies: unknown[] = []
  onPost('/api/add-waitlist-user', ({ body }) => {
    bodies.push(body)
    return { message: 'Done' }
  })
  render(<WaitlistForm source="cta_section" email="jane@fledge.test" />)
  await fillIn('other@example.com')
  await waitFor(() =>
    expect(bodies).toEqual([{ email: 'jane@fledge.test', source: 'cta_section' }]),
  )
})

test('has what a sign-up needs on its way while the address is typed', async () => {
  vi.mocked(prepareToJoin).mockClear()
  render(<WaitlistForm source="hero_section" />)
  await userEvent.click(field())
  await vi.waitFor(() => expect(prepareToJoin).toHaveBeenCalled())
})

test('is busy and closed to typing while it submits', async () => {
  let answer: (body: { message: string }) => void = () => {}
  onPost('/api/add-waitlist-user', () => new Promise((resolve) => (answer = resolve)))
  render(<WaitlistForm source="hero_section" />)

  await fillIn()

  await waitFor(() => expect(screen.getByRole('button', { name: 'Joining...' })).toBeDisabled())
  await waitFor(() => expect(field()).toBeDisabled())
  await vi.waitFor(() => {
    answer({ message: 'Done' })
    expect(screen.getByRole('status')).toBeInTheDocument()
  })
})

test('gives way to the confirmation', async () => {
  onPost('/api/add-waitlist-user', () => ({ message: "You're on the waitlist!" }))
  const { container } = render(<WaitlistForm source="cta_section" />)

  await fillIn()

  const confirmation = await screen.findByRole('status')
  expect(confirmation).toHaveTextContent("We'll notify you by email when your place is ready.")
  await waitFor(() => expect(screen.queryByRole('textbox')).not.toBeInTheDocument())
  expect(await violations(container)).toEqual([])
})

test.each([
  ["the server's own text", () => failure(429, 'Too many attempts.'), 'Too many attempts.'],
  [
    'a wordless answer',
    () => new Response('{}', { status: 500 }),
    'Something went wrong. Please try again.',
  ],
  ['no answer', () => offline(), 'Network error. Please try again.'],
])('shows %s and keeps the address', async (_, answer, text) => {
  onPost('/api/add-waitlist-user', answer)
  render(<WaitlistForm source="hero_section" />)

  await fillIn()

  await vi.waitFor(() => expect(field()).toHaveFocus())
  expect(screen.getByRole('alert')).toHaveTextContent(text)
  expect(field()).toHaveValue('ada@example.com')
  expect(field()).toHaveAccessibleDescription(text)
})
