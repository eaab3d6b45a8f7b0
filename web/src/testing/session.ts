import { SessionManager } from '@/features/session/session-manager'
import type { SessionSource } from '@/features/session/session-source'
import type { TabLink, TabNews } from '@/features/session/tab-link'
import type { Session } from '@/lib/api/types'

/** A session as the API gives it; `overrides` replaces parts of it. */
export function aSession(overrides: Partial<Session> = {}): Session {
  return {
    access_token: 'token-1',
    refresh_token: 'refresh-1',
    expires_in: 600,
    expires_at: Math.floor(Date.now() / 1000) + 600,
    token_type: 'bearer',
    user: {
      id: '4f0e6c1e-6f0a-4f5e-9d4b-1f6f2a3b4c5d',
      email: 'jane@fledge.test',
      app_metadata: { provider: 'google' },
      identities: [{ provider: 'google' }],
      factors: [],
    },
    ...overrides,
  }
}

/** Tabs that know nothing of each other. */
export const aloneTab: TabLink = {
  subscribe: () => () => {},
  broadcast: () => {},
  latestDeadline: async () => 0,
  withLock: (task) => task(),
}

/** A manager whose server answers with `session` (null: signed out). */
export function managerOf(
  session: Session | null,
  source?: Partial<SessionSource>,
): SessionManager {
  let current = session
  return new SessionManager(
    {
      expected: () => true,
      read: async () => current,
      end: async () => {
        current = null
      },
      ...source,
    },
    aloneTab,
  )
}

/** A manager whose server answers with `session`, and what signs somebody in in another tab. */
export function managerBesideTab(session: Session) {
  let receive: (news: TabNews) => void = () => {}
  const tab: TabLink = {
    ...aloneTab,
    subscribe: (listener) => {
      receive = listener
      return () => {}
    },
  }
  const source = { expected: () => true, read: async () => session, end: async () => {} }
  const signInElsewhere = (next: Session) =>
    receive({ session: next, deadline: Date.now() + 600_000 })
  return { manager: new SessionManager(source, tab), signInElsewhere }
}
