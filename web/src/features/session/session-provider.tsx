'use client'

import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { Provider } from 'react-redux'
import { api } from '@/lib/api/api'
import { userChanged } from '@/store/auth-slice'
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

function connect(manager: SessionManager, store: AppStore): () => void {
  const unsubscribe = manager.subscribe((event, session) => {
    store.dispatch(userChanged(session?.user ?? null))
    // What the last person loaded must not be shown to the next one.
    if (event === 'signed_in' || event === 'signed_out') store.dispatch(api.util.resetApiState())
  })
  const stop = manager.start()
  return () => {
    stop()
    unsubscribe()
  }
}

interface SessionProviderProps {
  children: ReactNode
  /** Tests bring a manager of their own. */
  manager?: SessionManager
}

/** Brings the store and the session to everything below, and keeps the session fresh. */
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
