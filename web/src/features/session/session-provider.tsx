'use client'

import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { Provider } from 'react-redux'
import { api } from '@/lib/api/api'
import { forgetStaffDrafts } from '@/lib/use-draft'
import { serverUnreachable, signedIn, signedOut } from '@/store/auth-slice'
import { type AppStore, makeStore } from '@/store/store'
import { SessionManager } from './session-manager'
import { httpSessionSource } from './session-source'
import { browserTabLink } from './tab-link'

const SessionContext = createContext<SessionManager | null>(null)

/** The session manager of this page; components that only show the person use `useAuth`. */
export function useSession(): SessionManager {
  const manager = useContext(SessionContext)
  if (!manager) throw new Error('useSession needs a SessionProvider above it')
  return manager
}

/** How long a sign-out waits for running mutations, in milliseconds. */
const MUTATIONS_MS = 1000

/** Keeps the store in step with the session. A change of person clears the API cache, which holds private data. */
function connect(manager: SessionManager, store: AppStore): () => void {
  const unsubscribe = manager.subscribe((event, session) => {
    const before = store.getState().auth.user
    // Who signs in again at once after an end on the server goes on with what they have typed.
    const another = event === 'signed_in' && session?.user.id !== before?.id
    if (before && (another || event === 'signed_out')) forgetStaffDrafts(before.id)
    if (event === 'unreachable') store.dispatch(serverUnreachable())
    else if (event === 'signed_out' || event === 'expired') void forget(event === 'expired')
    else {
      if (event === 'signed_in') store.dispatch(api.util.resetApiState())
      store.dispatch(session ? signedIn(session.user) : signedOut({ expired: false }))
    }
  })
  // Clearing the cache aborts running mutations, so those may finish first.
  async function forget(expired: boolean) {
    const mutations = store.dispatch(api.util.getRunningMutationsThunk())
    const answered = Promise.allSettled(mutations).then(() => pause(0))
    if (mutations.length > 0) await Promise.race([answered, pause(MUTATIONS_MS)])
    if (manager.session) return
    store.dispatch(signedOut({ expired }))
    await answered
    if (!manager.session) store.dispatch(api.util.resetApiState())
  }
  const stop = manager.start()
  return () => {
    stop()
    unsubscribe()
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

interface SessionProviderProps {
  children: ReactNode
  /** For tests. */
  manager?: SessionManager
}

/** Provides the store and the session to its children, and keeps the session fresh. */
export function SessionProvider({ children, manager: given }: SessionProviderProps) {
  const [{ manager, store }] = useState(() => {
    const manager = given ?? new SessionManager(httpSessionSource(), browserTabLink())
    const store = makeStore(manager.tokens)
    return { manager, store }
  })
  useEffect(() => connect(manager, store), [manager, store])
  return (
    <SessionContext value={manager}>
      <Provider store={store}>{children}</Provider>
    </SessionContext>
  )
}
