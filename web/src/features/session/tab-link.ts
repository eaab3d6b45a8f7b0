import type { HeldSession } from './session-manager'

/** How the tabs of one browser share a session: one at a time renews it, the others are told. */
export interface TabLink {
  /** Calls `receive` for every session (null: signed out) that another tab tells. */
  join(receive: (held: HeldSession | null) => void): () => void
  tell(held: HeldSession | null): void
  /** Runs `task` while no other tab runs one; `waited` tells it that another one did just before. */
  exclusively<T>(task: (waited: boolean) => Promise<T>): Promise<T>
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
    async exclusively(task) {
      if (typeof navigator === 'undefined' || !navigator.locks) return task(false)
      const { locks } = navigator
      const free = await locks.request(NAME, { ifAvailable: true }, async (lock) =>
        lock ? { result: await task(false) } : null,
      )
      return free ? free.result : locks.request(NAME, () => task(true))
    },
  }
}
