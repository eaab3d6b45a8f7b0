import { act, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { violations } from '@/testing/axe'
import { visit } from '@/testing/navigation'
import { renderApp } from '@/testing/render'
import { failure, onPost } from '@/testing/server'
import { LeaveScreen } from './leave-screen'

vi.mock('next/navigation', () => import('@/testing/navigation'))

const TOKEN = '3f1b0a52-b1d9-4e8a-96c1-f0d2e9b84c31'
const OTHER_TOKEN = '5d2c7b10-8e4f-4a3b-9c6d-2f1e0a9b8c7d'

let left: (string | null)[]

beforeEach(() => {
  left = []
  visit(`/leave-waitlist#${TOKEN}`)
  onPost('/api/leave-waitlist', ({ url }) => {
    left.push(url.searchParams.get('token'))
    return { message: 'You are off the waitlist' }
  })
})

describe('the page behind the link of an email', () => {
  it('changes nothing by being opened, and takes the person off by the button', async () => {
    const { container } = renderApp(<LeaveScreen />)
    const button = await screen.findByRole('button', { name: 'Take me off the list' })
    expect(window.location.hash).toBe('')
    expect(left).toEqual([])
    expect(await violations(container)).toEqual([])
    await userEvent.click(button)
    const done = await screen.findByRole('heading', { name: "You're off the list" })
    expect(done).toHaveFocus()
    expect(left).toEqual([TOKEN])
  })

  it('is about the link that was opened last, also in the same tab', async () => {
    const name = 'Take me off the list'
    renderApp(<LeaveScreen />)
    await userEvent.click(await screen.findByRole('button', { name }))
    await screen.findByRole('heading', { name: "You're off the list" })
    act(() => void (window.location.hash = OTHER_TOKEN))
    await userEvent.click(await screen.findByRole('button', { name }))
    await screen.findByRole('heading', { name: "You're off the list" })
    expect(left).toEqual([TOKEN, OTHER_TOKEN])
    expect(window.location.hash).toBe('')
  })

  it('is about that link still after a jump to a place on the page', async () => {
    renderApp(<LeaveScreen />)
    const button = await screen.findByRole('button', { name: 'Take me off the list' })
    act(() => void (window.location.hash = '#main'))
    await userEvent.click(button)
    await waitFor(() => expect(left).toEqual([TOKEN]))
  })

  it('says why the link does not work', async () => {
    onPost('/api/leave-waitlist', () =>
      failure(404, 'This link is not known. You may be off the list already.'),
    )
    renderApp(<LeaveScreen />)
    await userEvent.click(await screen.findByRole('button', { name: 'Take me off the list' }))
    expect(await screen.findByText(/This link is not known/)).toBeVisible()
  })
})
