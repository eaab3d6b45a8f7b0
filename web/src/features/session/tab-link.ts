import type { HeldSession } from './session-manager'

/** What tabs tell each other: a session, null when the person signed out, or that it expired. */
export type TabNews = HeldSession | null | 'expired'

/** How the tabs of one browser share a session: one at a time renews it, the others are told. */
export interface TabLink {
  /** Calls `receive` with what another tab tells. */
  join(receive: (news: TabNews) => void): () => void
  tell(news: TabNews): void
  /**
   * The latest deadline among the sessions that were told a moment ago, 0 without any. What is told
   * takes a while to arrive; this is known at once to whoever runs `exclusively` next.
   */
  latest(): Promise<number>
  /** Runs `task` while no other tab runs one. */
  exclusively<T>(task: () => Promise<T>): Promise<T>
}

const NAME = 'fledge-session'
/** Begins the name of a lock that says which session was told; nobody ever waits for one. */
const TOLD = `${NAME}-told-`
/** How long such a lock is kept: longer than a message between two tabs takes. */
const TOLD_MS = 10_000

function lockManager(): LockManager | undefined {
  return typeof navigator === 'undefined' ? undefined : navigator.locks
}

/** Null in a browser that has no channels, or none for a site whose storage it forbids. */
function openChannel(): BroadcastChannel | null {
  try {
    return new BroadcastChannel(NAME)
  } catch {
    return null
  }
}

/**
 * The link over BroadcastChannel and Web Locks; a browser that has none, or forbids them, has tabs on
 * their own.
 */
export function browserTabLink(): TabLink {
  let channel: BroadcastChannel | null = null
  return {
    join(receive) {
      const joined = openChannel()
      if (!joined) return () => {}
      joined.onmessage = ({ data }: MessageEvent<TabNews>) => receive(data)
      channel = joined
      return () => {
        joined.close()
        if (channel === joined) channel = null
      }
    },
    tell(news) {
      channel?.postMessage(news)
      if (!news || news === 'expired') return
      const kept = () => new Promise((resolve) => setTimeout(resolve, TOLD_MS))
      void lockManager()
        ?.request(TOLD + news.deadline, { mode: 'shared' }, kept)
        .catch(() => {})
    },
    async latest() {
      const { held = [] } =
        (await lockManager()
          ?.query()
          .catch(() => null)) ?? {}
      const told = held.map(({ name = '' }) => (name.startsWith(TOLD) ? name : ''))
      return Math.max(0, ...told.map((name) => Number(name.slice(TOLD.length))))
    },
    async exclusively(task) {
      let begun = false
      const begin = () => {
        begun = true
        return task()
      }
      try {
        return await (lockManager()?.request(NAME, begin) ?? begin())
      } catch (error) {
        // Refused before its turn came: the lock is forbidden here, not the task wrong.
        if (begun) throw error
        return begin()
      }
    },
  }
}
