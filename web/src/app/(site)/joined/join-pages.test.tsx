import { render, screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import ConfirmSentPage, { metadata as unconfirmed } from '../confirm-sent/page'
import JoinFailedPage, { metadata as failed } from '../join-failed/page'
import JoinedPage, { metadata as joined } from './page'

describe('the pages after a form that was sent without a script', () => {
  it('says that the address is on the list', () => {
    render(<JoinedPage />)
    expect(screen.getByRole('heading', { name: "You're on the waitlist!" })).toBeInTheDocument()
    expect(screen.getByRole('link', { name: 'Return to Home' })).toHaveAttribute('href', '/')
  })

  it('says that the address is to be confirmed', () => {
    render(<ConfirmSentPage />)
    expect(screen.getByRole('heading', { name: 'Almost there' })).toBeInTheDocument()
    expect(screen.getByText(/please confirm by the link in it/)).toBeInTheDocument()
  })

  it('says that it was not taken this time, which may be on the list already, and where to write', () => {
    render(<JoinFailedPage />)
    expect(
      screen.getByRole('heading', { name: 'Something went wrong. Please try again.' }),
    ).toBeInTheDocument()
    expect(screen.getByText(/^We could not take your address just now\./)).toBeInTheDocument()
    expect(screen.queryByText(/not on the waitlist/)).toBeNull()
    expect(screen.getByRole('link', { name: /^support@/ })).toHaveAttribute(
      'href',
      expect.stringMatching(/^mailto:support@/),
    )
  })

  it.each([joined, unconfirmed, failed])('is in no index', ({ robots }) => {
    expect(robots).toEqual({ index: false })
  })
})
