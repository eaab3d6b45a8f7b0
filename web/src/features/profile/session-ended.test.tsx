import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeAll, expect, it, vi } from 'vitest'
import { showAlert } from '@/lib/alert'
import { onBilling } from '@/testing/billing'
import { router, visit } from '@/testing/navigation'
import { renderApp } from '@/testing/render'
import { failure, onGet, onPost } from '@/testing/server'
import { aSession, managerOf } from '@/testing/session'
import { ProfileView } from './profile-view'

vi.mock('next/navigation', () => import('@/testing/navigation'))
vi.mock('@/lib/alert', () => ({ showAlert: vi.fn() }))

beforeAll(() => Promise.all([import('./further-cards'), import('./paywall/plans')]))

it('a checkout whose session has ended asks to sign in, before the profile is left', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  onGet('/api/auth/devices', () => ({ data: [] }))
  onBilling()
  onPost('/api/create-checkout-session', () => failure(401, 'Please sign in.'))
  const order: string[] = []
  vi.mocked(showAlert).mockImplementation((text) => void order.push(text))
  router.replace.mockImplementation((path: string) => void order.push(path))
  visit('/profile')
  const answers = [aSession(), null]
  const read = async () => answers.shift() ?? null
  renderApp(<ProfileView />, { manager: managerOf(null, { read }) })

  await userEvent.click(await screen.findByRole('button', { name: 'Upgrade Plan' }))
  const dialog = await screen.findByRole('dialog', { name: 'Choose your plan' })
  const [upgrade] = await within(dialog).findAllByRole('button', { name: 'Upgrade' })
  await userEvent.click(upgrade as HTMLElement)
  await waitFor(() => expect(order).toEqual(['Please sign in to upgrade your plan', '/']))
})
