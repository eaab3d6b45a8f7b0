import type { User } from '@/lib/api/types'
import type { HeldSession } from './session-manager'

/** What tabs broadcast: a session, null when the person signed out, or that the session expired. */
export type SessionNews = HeldSession | null | 'expired'
/** What tabs broadcast of an account that has changed; it is for those that are signed in to it. */
export interface AccountNews {
  account: User
}
export type TabNews = SessionNews | AccountNews

export const isAccountNews = (news: TabNews): news is AccountNews =>
  news !== null && typeof news === 'object' && 'account' in news

/** How the tabs of one browser share a session: one at a time renews it and broadcasts the result. */
export interface TabLink {
  /** Calls `receive` with what other tabs broadcast; returns a function that ends that. */
  subscribe(receive: (news: TabNews) => void): () => void
  broadcast(news: TabNews): void
  /**
   * The latest deadline among the sessions of recent broadcasts, 0 without any. A broadcast takes a while to arrive;
   * this is up to date as soon as another tab gets the lock.
   */
  latestDeadline(): Promise<number>
  /** Mutual exclusion: runs `task` while no other tab runs one. */
  withLock<T>(task: () => Promise<T>): Promise<T>
}

const NAME = 'fledge-session'
/** Apart from the sessions, which is all that tabs of version 1.0.0-rc.1 understand. */
const ACCOUNT_NAME = 'fledge-account'
/** A tab publishes the deadline of its session in the name of a lock, which all tabs can list; nobody waits for it. */
const DEADLINE_LOCK = `${NAME}-told-`
/** How long such a lock is held: longer than a broadcast takes to arrive. */
const DEADLINE_LOCK_MS = 10_000

function lockManager(): LockManager | undefined {
  return typeof navigator === 'undefined' ? undefined : navigator.locks
}

/** Null in a browser without BroadcastChannel, or that blocks it together with storage. */
function openChannel(name: string): BroadcastChannel | null {
  try {
    return new BroadcastChannel(name)
  } catch {
    return null
  }
}

/**
 * The link over BroadcastChannel and Web Locks. In a browser that lacks or blocks them, each tab works on its own.
 */
export function browserTabLink(): TabLink {
  let sessions: BroadcastChannel | null = null
  let accounts: BroadcastChannel | null = null
  return {
    subscribe(receive) {
      const joined = [openChannel(NAME), openChannel(ACCOUNT_NAME)] as const
      for (const channel of joined)
        if (channel) channel.onmessage = ({ data }: MessageEvent<TabNews>) => receive(data)
      ;[sessions, accounts] = joined
      return () => {
        for (const channel of joined) channel?.close()
        if (sessions === joined[0]) [sessions, accounts] = [null, null]
      }
    },
    broadcast(news) {
      if (isAccountNews(news)) return accounts?.postMessage(news)
      sessions?.postMessage(news)
      if (!news || news === 'expired') return
      const kept = () => new Promise((resolve) => setTimeout(resolve, DEADLINE_LOCK_MS))
      void lockManager()
        ?.request(DEADLINE_LOCK + news.deadline, { mode: 'shared' }, kept)
        .catch(() => {})
    },
    async latestDeadline() {
      const { held = [] } =
        (await lockManager()
          ?.query()
          .catch(() => null)) ?? {}
      const names = held.map(({ name = '' }) => (name.startsWith(DEADLINE_LOCK) ? name : ''))
      return Math.max(0, ...names.map((name) => Number(name.slice(DEADLINE_LOCK.length))))
    },
    async withLock(task) {
      let begun = false
      const begin = () => {
        begun = true
        return task()
      }
      try {
        return await (lockManager()?.request(NAME, begin) ?? begin())
      } catch (error) {
        // If the task has not begun, the error is the browser's: it blocks locks, so run without one.
        if (begun) throw error
        return begin()
      }
    },
  }
}
