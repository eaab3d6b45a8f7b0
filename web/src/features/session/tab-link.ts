import type { HeldSession } from './session-manager'

/** How the tabs of one browser share a session: one at a time renews it, the others are told. */
export interface TabLink {
  /** Calls `receive` for every session (null: signed out) that another tab tells. */
  join(receive: (held: HeldSession | null) => void): () => void
  tell(held: HeldSession | null): void
  /** Runs `task` while no other tab runs one. */
  exclusively<T>(task: () => Promise<T>): Promise<T>
}

const NAME = 'fledge-session'

/** The link over BroadcastChannel and Web Locks; a browser without them has tabs on their own. */
export function browserTabLink(): TabLink {
  let channel: BroadcastChannel | null = null
  return {
    join(receive) {
      if (typeof BroadcastChannel === 'undefined') return () => {}
      const joined = new BroadcastChannel(NAME)
      joined.onmessage = ({ data }: MessageEvent<HeldSession | null>) => receive(data)
      channel = joined
      return () => {
        joined.close()
        if (channel === joined) channel = null
      }
    },
    tell(held) {
      channel?.postMessage(held)
    },
    exclusively(task) {
      if (typeof navigator === 'undefined' || !navigator.locks) return task()
      return navigator.locks.request(NAME, task)
    },
  }
}
