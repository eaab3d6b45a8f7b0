import { act, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { violations } from '@/testing/axe'
import { visit } from '@/testing/navigation'
import { renderApp } from '@/testing/render'
import { failure, onPost } from '@/testing/server'
import { ConfirmScreen } from './confirm-screen'

vi.mock('next/navigation', () => import('@/testing/navigation'))

const TOKEN = '3f1b0a52-b1d9-4e8a-96c1-f0d2e9b84c31'
const OTHER_TOKEN = '5d2c7b10-8e4f-4a3b-9c6d-2f1e0a9b8c7d'

let confirmed: unknown[]

beforeEach(() => {
  confirmed = []
  visit(`/confirm-waitlist#${TOKEN}`)
  onPost('/api/confirm-waitlist', ({ body }) => {
    confirmed.push(body)
    return { message: "You're on the waitlist!" }
  })
})

describe('the page behind the link of a confirmation', () => {
  it('confirms nothing by being opened, and the address by its button', async () => {
    const { container } = renderApp(<ConfirmScreen />)
    const button = await screen.findByRole('button', { name: 'Confirm my address' })
    expect(window.location.hash).toBe('')
    expect(confirmed).toEqual([])
    expect(await violations(container)).toEqual([])
    button.focus()
    await userEvent.keyboard('{Enter}')
    expect(await screen.findByRole('heading', { name: "You're on the waitlist!" })).toHaveFocus()
    expect(confirmed).toEqual([{ token: TOKEN }])
  })

  it('is about the link that was opened last, also in the same tab', async () => {
    const name = 'Confirm my address'
    renderApp(<ConfirmScreen />)
    await userEvent.click(await screen.findByRole('button', { name }))
    await screen.findByRole('heading', { name: "You're on the waitlist!" })
    act(() => void (window.location.hash = OTHER_TOKEN))
    await userEvent.click(await screen.findByRole('button', { name }))
    await screen.findByRole('heading', { name: "You're on the waitlist!" })
    expect(confirmed).toEqual([{ token: TOKEN }, { token: OTHER_TOKEN }])
    expect(window.location.hash).toBe('')
  })

  it('is about that link still after a jump to a place on the page', async () => {
    renderApp(<ConfirmScreen />)
    const button = await screen.findByRole('button', { name: 'Confirm my address' })
    act(() => void (window.location.hash = '#main'))
    await userEvent.click(button)
    await waitFor(() => expect(confirmed).toEqual([{ token: TOKEN }]))
  })

  it('loses nothing by being loaded again, until the address is confirmed', async () => {
    const name = 'Confirm my address'
    const open = () => renderApp(<ConfirmScreen />)
    const first = open()
    await screen.findByRole('button', { name })
    first.unmount()
    const second = open()
    await userEvent.click(await screen.findByRole('button', { name }))
    await screen.findByRole('heading', { name: "You're on the waitlist!" })
    expect(confirmed).toEqual([{ token: TOKEN }])
    second.unmount()
    open()
    expect(await screen.findByRole('heading', { name: 'This link is not complete' })).toBeVisible()
  })

  it('without a link asks nothing', async () => {
    visit('/confirm-waitlist')
    const { container } = renderApp(<ConfirmScreen />)
    expect(await screen.findByText('Please open it from the email again.')).toBeVisible()
    expect(screen.queryByRole('button')).not.toBeInTheDocument()
    expect(await violations(container)).toEqual([])
  })

  it('says why the link does not work', async () => {
    onPost('/api/confirm-waitlist', () => failure(404, 'This link has ended.'))
    renderApp(<ConfirmScreen />)
    await userEvent.click(await screen.findByRole('button', { name: 'Confirm my address' }))
    expect(await screen.findByText(/This link has ended/)).toBeVisible()
  })
})
