import { act, screen, waitFor } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderApp } from '@/testing/render'
import { aSession, managerOf } from '@/testing/session'
import { deletionNotice } from './deletion-notice'
import { WelcomeBack } from './welcome-back'

const TEXT = 'Welcome back. Your account is no longer going to be deleted.'

it('tells whoever has taken the deletion of their account back, once', async () => {
  deletionNotice.set('2026-12-03T12:00:00Z')
  const read = vi.fn(async () => aSession())
  read.mockResolvedValueOnce(aSession({ deletionTakenBack: true }))
  const manager = managerOf(null, { read })
  renderApp(<WelcomeBack />, { manager })
  expect(await screen.findByText(TEXT)).toBeVisible()
  expect(deletionNotice.get()).toBeNull()
  await act(() => manager.read())
  expect(screen.getAllByText(TEXT)).toHaveLength(1)
})

it('says nothing to anybody else', async () => {
  deletionNotice.set('2026-12-03T12:00:00Z')
  renderApp(<WelcomeBack />, { session: aSession() })
  await waitFor(() => expect(deletionNotice.get()).toBeNull())
  expect(screen.queryByText(TEXT)).not.toBeInTheDocument()
})
