import { useSyncExternalStore } from 'react'
import { vi } from 'vitest'

/**
 * Takes the place of next/navigation (`vi.mock('next/navigation', () => import('@/testing/navigation'))`)
 * over jsdom's own history, which Next's router observes in the same way.
 */
const listeners = new Set<() => void>()

function notify(): void {
  for (const listener of listeners) listener()
}

for (const method of ['pushState', 'replaceState'] as const) {
  const native = window.history[method].bind(window.history)
  window.history[method] = (...args) => {
    native(...args)
    notify()
  }
}
window.addEventListener('popstate', notify)

/** The router that components get; tests look at its calls. */
export const router = { push: vi.fn(), replace: vi.fn() }

export function useRouter() {
  return router
}

function useLocation(read: () => string): string {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, read)
}

export function usePathname(): string {
  return useLocation(() => window.location.pathname)
}

export function useSearchParams(): URLSearchParams {
  return new URLSearchParams(useLocation(() => window.location.search))
}

/** Opens `path` without a page load. */
export function visit(path: string): void {
  window.history.replaceState(null, '', path)
}
