import { act, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { violations } from '@/testing/axe'
import { visit } from '@/testing/navigation'
import { renderApp } from '@/testing/render'
import { failure, offline, onPost } from '@/testing/server'
import { ConfirmScreen } from './confirm-screen'
import { LeaveScreen } from './leave-screen'

vi.mock('next/navigation', () => import('@/testing/navigation'))

const TOKEN = '3f1b0a52-b1d9-4e8a-96c1-f0d2e9b84c31'
const OTHER_TOKEN = '5d2c7b10-8e4f-4a3b-9c6d-2f1e0a9b8c7d'

let sent: unknown[]

beforeEach(() => {
  sent = []
  onPost('/api/confirm-waitlist', ({ body }) => {
    sent.push((body as { token: string }).token)
    return { message: "You're on the waitlist!" }
  })
  onPost('/api/leave-waitlist', ({ url }) => {
    sent.push(url.searchParams.get('token'))
    return { message: 'You are off the waitlist' }
  })
})

describe.each([
  {
    page: '/confirm-waitlist',
    Screen: ConfirmScreen,
    name: 'Confirm my address',
    done: "You're on the waitlist!",
  },
  {
    page: '/leave-waitlist',
    Screen: LeaveScreen,
    name: 'Take me off the list',
    done: "You're off the list",
  },
] as const)('$page', ({ page, Screen, name, done }) => {
  const open = () => renderApp(<Screen />)
  const button = () => screen.findByRole('button', { name })

  beforeEach(() => visit(`${page}#${TOKEN}`))

  it('does nothing by being opened, and what it says by its button', async () => {
    const { container } = open()
    const answer = await button()
    expect(window.location.hash).toBe('')
    expect(sent).toEqual([])
    expect(await violations(container)).toEqual([])
    answer.focus()
    await userEvent.keyboard('{Enter}')
    expect(await screen.findByRole('heading', { name: done })).toHaveFocus()
    expect(sent).toEqual([TOKEN])
  })

  it('is about the link that was opened last, also in the same tab', async () => {
    open()
    await userEvent.click(await button())
    await screen.findByRole('heading', { name: done })
    act(() => void (window.location.hash = OTHER_TOKEN))
    await userEvent.click(await button())
    await screen.findByRole('heading', { name: done })
    expect(sent).toEqual([TOKEN, OTHER_TOKEN])
    expect(window.location.hash).toBe('')
  })

  it('is about that link still after a jump to a place on the page', async () => {
    open()
    const answer = await button()
    act(() => void (window.location.hash = '#main'))
    await userEvent.click(answer)
    await waitFor(() => expect(sent).toEqual([TOKEN]))
  })

  it('loses nothing by being loaded again, also once it is done', async () => {
    const first = open()
    await button()
    first.unmount()
    const second = open()
    await userEvent.click(await button())
    await screen.findByRole('heading', { name: done })
    expect(sent).toEqual([TOKEN])
    second.unmount()
    expect(Object.values(sessionStorage).join()).not.toContain(TOKEN)
    open()
    expect(await screen.findByRole('heading', { name: done })).toBeVisible()
    expect(screen.queryByRole('button')).not.toBeInTheDocument()
    act(() => void (window.location.hash = OTHER_TOKEN))
    await userEvent.click(await button())
    await screen.findByRole('heading', { name: done })
    expect(sent).toEqual([TOKEN, OTHER_TOKEN])
  })

  it('without a link asks nothing', async () => {
    visit(page)
    const { container } = open()
    expect(await screen.findByText('Please open it from the email again.')).toBeVisible()
    expect(screen.queryByRole('button')).not.toBeInTheDocument()
    expect(await violations(container)).toEqual([])
  })

  it.each([
    [() => failure(404, 'This link has ended.'), 'This link has ended.'],
    [offline, 'Network error. Please try again.'],
  ])('says why the link does not work: %#', async (answer, text) => {
    onPost('/api/confirm-waitlist', answer)
    onPost('/api/leave-waitlist', answer)
    open()
    await userEvent.click(await button())
    expect(await screen.findByText(text)).toBeVisible()
  })
})
