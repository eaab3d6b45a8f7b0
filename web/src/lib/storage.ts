/** Text kept in the browser. Nothing throws: a browser may refuse to keep anything. */
export interface Store {
  /** Null when there is none, or storage is refused. */
  get(key: string): string | null
  /** Whether it is kept. */
  set(key: string, value: string): boolean
  remove(key: string): void
}

function storeOf(area: 'localStorage' | 'sessionStorage'): Store {
  // Merely naming the area throws where it is refused.
  function attempt<T>(task: (storage: Storage) => T): T | null {
    try {
      return task(window[area])
    } catch {
      return null
    }
  }
  return {
    get: (key) => attempt((storage) => storage.getItem(key)),
    set: (key, value) =>
      attempt((storage) => {
        storage.setItem(key, value)
        return true
      }) ?? false,
    remove: (key) => void attempt((storage) => storage.removeItem(key)),
  }
}

/** What every tab of this browser shares, for good. */
export const browserStore = storeOf('localStorage')

/** What this tab alone keeps, until it is closed. */
export const tabStore = storeOf('sessionStorage')

/** A value in JSON that the tab keeps for a while. */
export interface TabNote {
  /** As it was set, from storage and so of any shape; null when there is none or its time is over. */
  get(): unknown
  set(value: unknown): void
  remove(): void
}

/** The note under `key`, which is worth nothing after `lifetime` milliseconds. */
export function tabNote(key: string, lifetime: number): TabNote {
  return {
    get() {
      try {
        const { value, at } = JSON.parse(tabStore.get(key) ?? 'null') as Record<string, unknown>
        const age = Date.now() - Number(at)
        return age >= 0 && age < lifetime ? value : null
      } catch {
        return null
      }
    },
    set: (value) => void tabStore.set(key, JSON.stringify({ value, at: Date.now() })),
    remove: () => tabStore.remove(key),
  }
}
