import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { renderToString } from 'react-dom/server'
import { afterEach, expect, test, vi } from 'vitest'
import { site } from '@/config/site'
import { violations } from '@/testing/axe'
import { failure, offline, onPost } from '@/testing/server'
import { WaitlistForm } from './waitlist-form'

afterEach(() => {
  cleanup()
  document.body.replaceChildren()
  vi.useRealTimers()
})

const field = () => screen.getByRole('textbox', { name: 'Email address' })
const join = () => screen.getByRole('button', { name: 'Join Waitlist' })

/** Too many at once, says the server; a place is free after `seconds`. */
const crowded = (seconds: number) => {
  const answer = failure(429, 'Too many attempts.')
  answer.headers.set('Retry-After', String(seconds))
  return answer
}

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

test('promises nothing about a place while the address is yet to be confirmed', async () => {
  const message = 'Almost there: please confirm by the link in the email.'
  onPost('/api/add-waitlist-user', () => ({ message, confirm: true }))
  render(<WaitlistForm source="hero_section" />)
  await fillIn()
  expect(await screen.findByText(message)).toBeVisible()
  expect(screen.queryByText(/when your place is ready/)).not.toBeInTheDocument()
})

/** The form as the page brings it, before any script. */
function exported() {
  const container = document.body.appendChild(document.createElement('div'))
  container.innerHTML = renderToString(<WaitlistForm source="hero_section" />)
  return { container, form: container.querySelector('form')! }
}

test('can be submitted without its script', () => {
  const { form } = exported()
  expect(join()).toBeEnabled()
  expect(form).toHaveAttribute('action', '/api/add-waitlist-user')
  expect(form).toHaveAttribute('method', 'post')
  expect(form).toHaveAttribute('data-keep-submit')
  form.querySelector<HTMLInputElement>('[name=email]')!.value = 'ada@example.com'
  expect(Object.fromEntries(new FormData(form))).toEqual({
    email: 'ada@example.com',
    source: 'hero_section',
  })
  expect(form.querySelector('noscript')?.textContent).toContain(site.emails.support)
})

test('sends by itself what was submitted before its script came, once', async () => {
  const bodies: unknown[] = []
  onPost('/api/add-waitlist-user', ({ body }) => {
    bodies.push(body)
    return { message: 'Done' }
  })
  const { container, form } = exported()
  form.querySelector<HTMLInputElement>('[name=email]')!.value = 'ada@example.com'
  // What the page does with a submit that nothing takes yet.
  form.dataset.submitted = ''
  form.setAttribute('aria-busy', 'true')

  render(<WaitlistForm source="hero_section" />, { container, hydrate: true })

  expect(await screen.findByText('Done')).toBeVisible()
  expect(bodies).toEqual([{ email: 'ada@example.com', source: 'hero_section' }])
})

test('submits nothing by itself otherwise, and takes the submits over', () => {
  const { container, form } = exported()
  render(<WaitlistForm source="hero_section" />, { container, hydrate: true })
  expect(form).not.toHaveAttribute('data-keep-submit')
  expect(form).toHaveAttribute('aria-busy', 'false')
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

test('is busy and closed to typing while it submits', async () => {
  let answer: (body: { message: string }) => void = () => {}
  onPost('/api/add-waitlist-user', () => new Promise((resolve) => (answer = resolve)))
  render(<WaitlistForm source="hero_section" />)

  await fillIn()

  const button = await screen.findByRole('button', { name: 'Joining...' })
  expect(button).toHaveAttribute('aria-disabled', 'true')
  expect(button).toHaveFocus()
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
  [
    'an error without words that comes with 200',
    () => Response.json({ error: {} }),
    'Something went wrong. Please try again.',
  ],
  [
    'the page of something in between',
    () => new Response('<p>Sign in to this network</p>'),
    'Network error. Please try again.',
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

test('waits as long as the server asks, and joins by itself', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
  let asked = 0
  onPost('/api/add-waitlist-user', () => (++asked === 1 ? crowded(8) : { message: 'Done' }))
  render(<WaitlistForm source="hero_section" />)
  fireEvent.change(field(), { target: { value: 'ada@example.com' } })
  fireEvent.click(join())

  await vi.waitFor(() => expect(screen.getByRole('button')).toHaveTextContent('One moment…'))
  expect(field()).toBeDisabled()
  expect(screen.getByRole('alert')).toBeEmptyDOMElement()
  await vi.advanceTimersByTimeAsync(9_900)
  expect(asked).toBe(1)
  await vi.advanceTimersByTimeAsync(200)
  await vi.waitFor(() => expect(screen.getByRole('status')).toHaveTextContent('Done'))
  expect(asked).toBe(2)
})

test('waits longer each time, for a minute in all, and says what the server says then', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  vi.spyOn(Math, 'random').mockReturnValue(0)
  let asked = 0
  onPost('/api/add-waitlist-user', () => {
    asked += 1
    return crowded(4)
  })
  render(<WaitlistForm source="hero_section" />)
  fireEvent.change(field(), { target: { value: 'ada@example.com' } })
  fireEvent.click(join())
  for (const [seconds, requests] of [
    [4, 2],
    [4, 3],
    [8, 4],
    [16, 5],
  ] as const) {
    await vi.waitFor(() => expect(screen.getByRole('button')).toHaveTextContent('One moment…'))
    await vi.advanceTimersByTimeAsync(seconds * 1000)
    await vi.waitFor(() => expect(asked).toBe(requests))
  }
  await vi.waitFor(() => expect(screen.getByRole('alert')).toHaveTextContent('Too many attempts.'))
})

test('does not wait for minutes', async () => {
  onPost('/api/add-waitlist-user', () => crowded(3600))
  render(<WaitlistForm source="hero_section" />)
  await fillIn()
  await waitFor(() => expect(screen.getByRole('alert')).toHaveTextContent('Too many attempts.'))
})

test('who has joined with one form is not asked by the other', async () => {
  onPost('/api/add-waitlist-user', () => ({ message: 'Welcome.' }))
  const hero = document.body.appendChild(document.createElement('div'))
  const below = document.body.appendChild(document.createElement('div'))
  render(<WaitlistForm source="hero_section" />, { container: hero })
  render(<WaitlistForm source="cta_section" />, { container: below })

  await userEvent.type(within(hero).getByRole('textbox'), 'ada@example.com{Enter}')

  await waitFor(() => expect(within(below).getByText('Welcome.')).toBeVisible())
  expect(screen.queryByRole('textbox')).not.toBeInTheDocument()
  // Said once, where it was asked for.
  expect(screen.getByRole('status')).toBe(within(hero).getByRole('status'))
  await waitFor(() => expect(within(hero).getByText('Welcome.')).toHaveFocus())
})

test('a form that comes to life after another was used does not ask, until none is left', async () => {
  onPost('/api/add-waitlist-user', () => ({ message: 'Welcome.' }))
  const hero = document.body.appendChild(document.createElement('div'))
  const below = document.body.appendChild(document.createElement('div'))
  below.innerHTML = renderToString(<WaitlistForm source="cta_section" />)
  render(<WaitlistForm source="hero_section" />, { container: hero })
  await userEvent.type(within(hero).getByRole('textbox'), 'ada@example.com{Enter}')
  await within(hero).findByText('Welcome.')

  render(<WaitlistForm source="cta_section" />, { container: below, hydrate: true })
  expect(within(below).getByText('Welcome.')).toBeVisible()
  expect(within(below).queryByRole('status')).toBeNull()

  cleanup()
  render(<WaitlistForm source="hero_section" />)
  expect(field()).toBeVisible()
})

test('takes an address that was copied together with invisible characters', async () => {
  const bodies: unknown[] = []
  onPost('/api/add-waitlist-user', ({ body }) => {
    bodies.push(body)
    return { message: 'Successfully added to waitlist' }
  })
  render(<WaitlistForm source="hero_section" />)
  await userEvent.click(field())
  await userEvent.paste('\u202a\ufeff\u200eada@exam\u00adple.com\u2069\u200b\u202c')
  expect(field()).toHaveValue('ada@example.com')
  await userEvent.click(join())
  await waitFor(() => expect(bodies).toMatchObject([{ email: 'ada@example.com' }]))
})
