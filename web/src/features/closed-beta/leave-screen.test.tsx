import { act, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { violations } from '@/testing/axe'
import { visit } from '@/testing/navigation'
import { renderApp } from '@/testing/render'
import { failure, onPost } from '@/testing/server'
import { LeaveScreen } from './leave-screen'

vi.mock('next/navigation', () => import('@/testing/navigation'))

let left: (string | null)[]

beforeEach(() => {
  left = []
  visit('/leave-waitlist#token-1')
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
    expect(left).toEqual(['token-1'])
  })

  it('is about the link that was opened last, also in the same tab', async () => {
    const name = 'Take me off the list'
    renderApp(<LeaveScreen />)
    await userEvent.click(await screen.findByRole('button', { name }))
    await screen.findByRole('heading', { name: "You're off the list" })
    act(() => void (window.location.hash = '#token-2'))
    await userEvent.click(await screen.findByRole('button', { name }))
    await screen.findByRole('heading', { name: "You're off the list" })
    expect(left).toEqual(['token-1', 'token-2'])
    expect(window.location.hash).toBe('')
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
