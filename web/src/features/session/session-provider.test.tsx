import { act, screen, waitFor } from '@testing-library/react'
import { useState } from 'react'
import { useStore } from 'react-redux'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { showAlert } from '@/lib/alert'
import { useSetUserRolesMutation } from '@/lib/api/identity-api'
import { staffRoleApi, useGetStaffRoleQuery } from '@/lib/api/staff-role-api'
import type { Session } from '@/lib/api/types'
import { staffDraft } from '@/lib/use-draft'
import type { RootState } from '@/store/store'
import { visit } from '@/testing/navigation'
import { renderApp } from '@/testing/render'
import { failure, onGet, onPost } from '@/testing/server'
import type { managerOf } from '@/testing/session'
import { aloneTab, aSession } from '@/testing/session'
import { SessionExpired } from './session-expired'
import { SessionManager } from './session-manager'
import type { SessionNews } from './tab-link'
import { useAuth } from './use-auth'

vi.mock('next/navigation', () => import('@/testing/navigation'))
vi.mock('@/lib/alert', () => ({ showAlert: vi.fn() }))

const jane = aSession()
const ann = aSession({
  access_token: 'token-ann',
  user: { ...jane.user, id: 'ann', email: 'ann@fledge.test' },
})

/** Shows what the person has loaded, and makes a change for them. */
function Page() {
  const { status, user } = useAuth()
  return (
    <>
      <p>{`${status}: ${user?.email ?? 'nobody'}`}</p>
      {user && <Loaded />}
      <Kept />
      <Changing />
    </>
  )
}

function Loaded() {
  const { data } = useGetStaffRoleQuery()
  return <p>{data === undefined ? 'Loading' : `Role: ${data}`}</p>
}

/** What stays in memory. */
function Kept() {
  const { data } = staffRoleApi.endpoints.getStaffRole.useQueryState()
  return <p>{`In memory: ${data}`}</p>
}

function Changing() {
  const [change] = useSetUserRolesMutation()
  const store = useStore<RootState>()
  const [outcome, setOutcome] = useState('')
  const go = async () => {
    const { error } = await change({ userId: 'x', roles: [], reason: 'because' })
    setOutcome(`${JSON.stringify(error)} while ${store.getState().auth.status}`)
  }
  return (
    <>
      <button onClick={() => void go()}>Change</button>
      {outcome && <output>{outcome}</output>}
    </>
  )
}

beforeEach(() => {
  visit('/closed-beta')
  vi.mocked(showAlert).mockClear()
})

const DRAFT = `draft:${staffDraft(jane.user.id, 'reason:disable_person:ada')}`

/** A page of Jane's whose other tabs are played by the test. */
function openJane(source: Parameters<typeof managerOf>[1] = {}) {
  let tell: (news: SessionNews) => void = () => {}
  const link = { ...aloneTab, subscribe: (receive: typeof tell) => ((tell = receive), () => {}) }
  const manager = new SessionManager(
    { expected: () => true, read: async () => jane, end: async () => {}, ...source },
    link,
  )
  renderApp(
    <>
      <Page />
      <SessionExpired />
    </>,
    { manager },
  )
  const held = (session: Session) => ({ session, deadline: Date.now() + 600_000 })
  return {
    manager,
    signIn: (session: Session) => act(() => tell(held(session))),
    signOut: () => act(() => tell(null)),
    expire: () => act(() => tell('expired')),
  }
}

describe('what a member of staff has typed', () => {
  beforeEach(() => {
    onGet('/api/is-admin', () => ({ isAdmin: true, isModerator: false }))
    sessionStorage.setItem(DRAFT, 'Spam')
  })

  it.each<[string, string | null, (tab: ReturnType<typeof openJane>) => void]>([
    ['goes with a sign-out', null, (tab) => tab.signOut()],
    ['goes when somebody else signs in', null, (tab) => tab.signIn(ann)],
    ['stays when the session ends by itself', 'Spam', (tab) => tab.expire()],
    [
      'stays when the same person signs in again at once',
      'Spam',
      (tab) => {
        tab.expire()
        tab.signIn({ ...jane, access_token: 'token-again' })
      },
    ],
  ])('%s', async (_, left, happen) => {
    const tab = openJane()
    await screen.findByText('Role: admin')
    happen(tab)
    expect(sessionStorage.getItem(DRAFT)).toBe(left)
  })
})

describe('what the last person loaded', () => {
  beforeEach(() =>
    onGet('/api/is-admin', ({ bearer }) =>
      bearer === jane.access_token ? { isAdmin: true, isModerator: false } : new Promise(() => {}),
    ),
  )

  it.each([
    ['at once', false],
    ['after a sign-out', true],
  ])('is not shown to the next one, who comes %s', async (_, between) => {
    const tab = openJane()
    expect(await screen.findByText('Role: admin')).toBeVisible()
    if (between) {
      tab.signOut()
      expect(await screen.findByText('signed-out: nobody')).toBeVisible()
      expect(await screen.findByText('In memory: undefined')).toBeVisible()
    }
    const shown = vi.fn()
    new MutationObserver(() => shown(document.body.textContent)).observe(document.body, {
      subtree: true,
      childList: true,
      characterData: true,
    })
    tab.signIn(ann)
    expect(await screen.findByText('signed-in: ann@fledge.test')).toBeVisible()
    expect(await screen.findByText('Loading')).toBeVisible()
    for (const [text] of shown.mock.calls) expect(text).not.toMatch(/ann@.*Role: admin/)
  })
})

describe('a session that ends', () => {
  beforeEach(() => onGet('/api/is-admin', () => ({ isAdmin: true, isModerator: false })))

  it('answers a change in flight before the page forgets the person', async () => {
    onPost('/api/set-user-roles', () => failure(401, 'Please sign in.'))
    const answers = [jane, null]
    openJane({ read: async () => answers.shift() ?? null })
    await screen.findByText('Role: admin')
    act(() => screen.getByRole('button', { name: 'Change' }).click())
    expect(await screen.findByText('{"kind":"no-session"} while signed-in')).toBeVisible()
    expect(await screen.findByText('signed-out: nobody')).toBeVisible()
  })

  it('waits a second at most for an answer, which still comes', async () => {
    let answer: (response: Response) => void = () => {}
    onPost('/api/set-user-roles', () => new Promise((resolve) => (answer = resolve)))
    const tab = openJane({ read: async () => (tab.manager.session ? null : jane) })
    await screen.findByText('Role: admin')
    act(() => screen.getByRole('button', { name: 'Change' }).click())
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    tab.signOut()
    await act(() => vi.advanceTimersByTimeAsync(999))
    expect(screen.getByText(/^signed-in/)).toBeVisible()
    await act(() => vi.advanceTimersByTimeAsync(1))
    expect(screen.getByText('signed-out: nobody')).toBeVisible()
    vi.useRealTimers()
    answer(failure(403, 'Not allowed.'))
    expect(await screen.findByText(/Not allowed/)).toBeVisible()
  })

  it.each([
    ['/closed-beta', 'in a toast'],
    ['/profile', 'in an alert, as the profile is left'],
  ])('is told on %s %s', async (path) => {
    visit(path)
    const answers = [jane, null]
    const { manager } = openJane({ read: async () => answers.shift() ?? null })
    await screen.findByText('Role: admin')
    await act(() => manager.read())
    if (path === '/profile') {
      await waitFor(() => expect(showAlert).toHaveBeenCalledWith('You have been signed out.'))
    } else {
      expect(await screen.findByText('You have been signed out.')).toBeVisible()
      expect(showAlert).not.toHaveBeenCalled()
    }
  })

  it.each([
    ['this tab', (tab: ReturnType<typeof openJane>) => act(() => tab.manager.signOut())],
    ['another tab', async (tab: ReturnType<typeof openJane>) => tab.signOut()],
  ])('is not told to whoever signed out in %s', async (_, signOut) => {
    visit('/profile')
    const tab = openJane()
    await screen.findByText('Role: admin')
    await signOut(tab)
    expect(await screen.findByText('signed-out: nobody')).toBeVisible()
    expect(showAlert).not.toHaveBeenCalled()
    expect(screen.queryByText('You have been signed out.')).not.toBeInTheDocument()
  })
})
