import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { violations } from '@/testing/axe'
import { HistoryModal } from './history/history-modal'
import { PlanModal } from './paywall/plan-modal'

vi.mock('./paywall/plans', () => new Promise(() => {}))
vi.mock('./history/history', () => {
  throw new Error('offline')
})

test('a dialog is there before what it shows has come', async () => {
  const onClose = vi.fn()
  render(<PlanModal onClose={onClose} />)
  const dialog = screen.getByRole('dialog', { name: 'Choose your plan' })
  expect(dialog).toBeVisible()
  expect(await screen.findByText('Loading plans...')).toHaveAttribute('role', 'status')
  expect(await violations(dialog)).toEqual([])
  await userEvent.click(screen.getByRole('button', { name: 'Close' }))
  expect(onClose).toHaveBeenCalledOnce()
})

test('a dialog says that what it shows did not come', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  render(<HistoryModal onClose={() => {}} />)
  expect(await screen.findByRole('alert')).toHaveTextContent(
    'This part of the page could not be loaded.',
  )
  expect(screen.getByRole('dialog', { name: 'Credit history' })).toBeVisible()
})
