/** Web Storage that never throws: a browser may block it. */
export interface Store {
  /** Null when there is none, or storage is blocked. */
  get(key: string): string | null
  /** Returns whether it was stored. */
  set(key: string, value: string): boolean
  remove(key: string): void
  /** The keys that are there. */
  keys(): string[]
}

function storeOf(area: 'localStorage' | 'sessionStorage'): Store {
  // Where storage is blocked, even reading `window.localStorage` throws.
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
    keys: () => attempt((storage) => Object.keys(storage)) ?? [],
  }
}

/** localStorage: shared by all tabs. */
export const browserStore = storeOf('localStorage')

/** sessionStorage: this tab's, until it is closed. */
export const tabStore = storeOf('sessionStorage')

/** A JSON value in sessionStorage with a time to live. */
export interface ExpiringItem {
  /** Untrusted, as it comes from storage; null when there is none or it has expired. */
  get(): unknown
  set(value: unknown): void
  remove(): void
}

/** The item under `key`, which expires after `ttl` milliseconds. */
export function expiringItem(key: string, ttl: number): ExpiringItem {
  return {
    get() {
      try {
        const { value, at } = JSON.parse(tabStore.get(key) ?? 'null') as Record<string, unknown>
        const age = Date.now() - Number(at)
        return age >= 0 && age < ttl ? value : null
      } catch {
        return null
      }
    },
    set: (value) => void tabStore.set(key, JSON.stringify({ value, at: Date.now() })),
    remove: () => tabStore.remove(key),
  }
}
