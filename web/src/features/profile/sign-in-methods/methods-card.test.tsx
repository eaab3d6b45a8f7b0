import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Provider } from '@/lib/api/types'
import { leaveTo } from '@/lib/leave'
import { violations } from '@/testing/axe'
import { router, visit } from '@/testing/navigation'
import { renderApp } from '@/testing/render'
import { onPost, refusal } from '@/testing/server'
import { aSession, managerOf } from '@/testing/session'
import { useAuth } from '@/features/session/use-auth'
import { MethodsCard } from './methods-card'
import { useLastChange } from './use-last-change'

vi.mock('next/navigation', () => import('@/testing/navigation'))
vi.mock('@/lib/leave', () => ({ leaveTo: vi.fn() }))

let starts: unknown[]

const offer = 'Sign out everywhere else'

beforeEach(() => {
  visit('/profile')
  router.replace.mockClear()
  vi.mocked(leaveTo).mockClear()
  starts = []
  onPost('/api/auth/signin/{provider}', ({ url, body }) => {
    starts.push([url.pathname + url.search, body])
    return { url: 'https://provider.example/authorize' }
  })
})

function SignedIn({ failed }: { failed: boolean }) {
  const change = useLastChange()
  return (
    useAuth().user && (
      <>
        <MethodsCard linkingFailed={failed} change={change} />
        <button onClick={() => change.note('factor')}>Change the second factor</button>
      </>
    )
  )
}

const sessionWith = (...linked: Provider[]) => {
  const session = aSession()
  const identities = linked.map((provider) => ({ provider }))
  return { ...session, user: { ...session.user, identities } }
}

const open = (linked: Provider[], failed = false) =>
  renderApp(<SignedIn failed={failed} />, { manager: managerOf(sessionWith(...linked)) })

const row = (name: string) =>
  within(screen.getAllByRole('listitem').find((item) => item.textContent?.startsWith(name))!)
const dialog = () => within(screen.getByRole('alertdialog'))

describe('the ways to sign in', () => {
  it('are listed; the only one stays', async () => {
    const { container } = open(['google'])
    expect(await screen.findByText('Your only way to sign in')).toBeVisible()
    expect(row('Google').queryByRole('button')).toBeNull()
    expect(row('Apple').getByRole('button', { name: 'Add Apple' })).toBeVisible()
    expect(await violations(container)).toEqual([])
  })

  it('are added at the provider, for the account that the page shows', async () => {
    open(['google'])
    await userEvent.click(await screen.findByRole('button', { name: 'Add Apple' }))
    await waitFor(() =>
      expect(leaveTo).toHaveBeenCalledExactlyOnceWith('https://provider.example/authorize'),
    )
    expect(starts).toEqual([
      [
        '/api/auth/signin/apple?link=true',
        {
          return_to: '/auth/callback?redirect=%2Fprofile%23sign-in-methods',
          user_id: aSession().user.id,
        },
      ],
    ])
  })

  it('lead through a fresh sign-in and back', async () => {
    onPost('/api/auth/signin/{provider}', ({ url }) => {
      starts.push(url.pathname + url.search)
      return url.search === '?link=true'
        ? refusal(403, 'fresh_sign_in_required')
        : { url: 'https://provider.example/authorize' }
    })
    open(['google'])
    await userEvent.click(await screen.findByRole('button', { name: 'Add Apple' }))
    await userEvent.click(await screen.findByRole('button', { name: 'Sign in again' }))
    await waitFor(() => expect(leaveTo).toHaveBeenCalledOnce())
    expect(starts).toEqual([
      '/api/auth/signin/apple?link=true',
      '/api/auth/signin/google?refresh=true',
    ])
  })

  it.each([
    [409, 'another_account'],
    [409, 'already_linked'],
    [503, 'sign_in_unavailable'],
  ])('say why one could not be added: %s %s', async (status, code) => {
    onPost('/api/auth/signin/{provider}', () => refusal(status, code))
    open(['google'])
    await userEvent.click(await screen.findByRole('button', { name: 'Add Apple' }))
    expect(await screen.findByRole('alert')).toHaveTextContent('The server says no.')
    expect(leaveTo).not.toHaveBeenCalled()
  })

  it('say that the provider did not add one', async () => {
    open(['google'], true)
    expect(await screen.findByRole('alert')).toHaveTextContent('It was not added.')
    expect(screen.getByRole('heading', { name: 'How you sign in' })).toHaveFocus()
  })

  it('are removed after a question', async () => {
    const removed: unknown[] = []
    onPost('/api/auth/unlink-provider', ({ body }) => {
      removed.push(body)
      return sessionWith('google').user
    })
    open(['google', 'apple'])
    await userEvent.click(await screen.findByRole('button', { name: 'Remove Apple' }))
    expect(dialog().getByText(/will no longer open this account/)).toBeVisible()
    await userEvent.click(dialog().getByRole('button', { name: 'Cancel' }))
    expect(removed).toEqual([])
    await userEvent.click(screen.getByRole('button', { name: 'Remove Apple' }))
    await userEvent.click(dialog().getByRole('button', { name: 'Remove' }))
    expect(await screen.findByRole('button', { name: 'Add Apple' })).toBeVisible()
    expect(removed).toEqual([{ provider: 'apple' }])
    expect(screen.getByText('Your only way to sign in')).toBeVisible()
    expect(screen.getByText('Apple was removed')).toBeVisible()
    expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument()
  })

  it.each([204, 503])(
    'offer to sign out everywhere else once one was removed: %s',
    async (status) => {
      const asked: unknown[] = []
      onPost('/api/auth/unlink-provider', () => sessionWith('google').user)
      onPost('/api/auth/sign-out', ({ body, bearer }) => {
        asked.push([bearer, body])
        return status === 204 ? new HttpResponse(null, { status }) : refusal(status, 'unavailable')
      })
      const { container } = open(['google', 'apple'])
      await userEvent.click(await screen.findByRole('button', { name: 'Remove Apple' }))
      expect(screen.queryByRole('button', { name: offer, hidden: true })).toBeNull()
      await userEvent.click(dialog().getByRole('button', { name: 'Remove' }))
      const button = await screen.findByRole('button', { name: offer })
      expect(await violations(container)).toEqual([])
      await userEvent.click(button)
      if (status === 204) {
        const done = await screen.findByText('Your other browsers and Macs are signed out.')
        expect(done.parentElement).toHaveFocus()
        expect(screen.queryByRole('button', { name: offer })).toBeNull()
      } else {
        expect(await screen.findByRole('alert')).toHaveTextContent('The server says no.')
        expect(button).toBeVisible()
      }
      expect(asked).toEqual([[aSession().access_token, { scope: 'others' }]])
      expect(screen.getByText('Your only way to sign in')).toBeVisible()
    },
  )

  it('do not offer it beside the offer of the second factor', async () => {
    onPost('/api/auth/unlink-provider', () => sessionWith('google').user)
    open(['google', 'apple'])
    await userEvent.click(await screen.findByRole('button', { name: 'Remove Apple' }))
    await userEvent.click(dialog().getByRole('button', { name: 'Remove' }))
    expect(await screen.findByRole('button', { name: offer })).toBeVisible()
    await userEvent.click(screen.getByRole('button', { name: 'Change the second factor' }))
    expect(screen.queryByRole('button', { name: offer })).toBeNull()
  })

  it('do not offer it to somebody else who signs in in the same tab', async () => {
    const first = open(['google'])
    await userEvent.click(await screen.findByRole('button', { name: 'Add Apple' }))
    await waitFor(() => expect(leaveTo).toHaveBeenCalledOnce())
    first.unmount()
    const session = sessionWith('google', 'apple')
    const other = { ...session, user: { ...session.user, id: crypto.randomUUID() } }
    renderApp(<SignedIn failed={false} />, { manager: managerOf(other) })
    await screen.findByRole('button', { name: 'Remove Apple' })
    expect(screen.queryByRole('button', { name: offer })).toBeNull()
  })

  it('offer it once after one was added at the provider', async () => {
    const first = open(['google'])
    await userEvent.click(await screen.findByRole('button', { name: 'Add Apple' }))
    await waitFor(() => expect(leaveTo).toHaveBeenCalledOnce())
    first.unmount()
    const back = open(['google', 'apple'])
    expect(await screen.findByRole('button', { name: offer })).toBeVisible()
    back.unmount()
    open(['google', 'apple'])
    await screen.findByRole('button', { name: 'Remove Apple' })
    expect(screen.queryByRole('button', { name: offer })).toBeNull()
  })

  it('do not offer it when the provider was not added', async () => {
    const first = open(['google'])
    await userEvent.click(await screen.findByRole('button', { name: 'Add Apple' }))
    await waitFor(() => expect(leaveTo).toHaveBeenCalledOnce())
    first.unmount()
    open(['google'], true)
    await screen.findByRole('alert')
    expect(screen.queryByRole('button', { name: offer })).toBeNull()
  })

  it('keep the question when removing failed', async () => {
    onPost('/api/auth/unlink-provider', () => refusal(409, 'last_provider'))
    open(['google', 'apple'])
    await userEvent.click(await screen.findByRole('button', { name: 'Remove Google' }))
    await userEvent.click(dialog().getByRole('button', { name: 'Remove' }))
    expect(await dialog().findByRole('alert')).toHaveTextContent('The server says no.')
  })
})
