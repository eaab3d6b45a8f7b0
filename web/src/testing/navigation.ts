import { useSyncExternalStore } from 'react'
import { vi } from 'vitest'

/**
 * Takes the place of next/navigation (`vi.mock('next/navigation', () => import('@/testing/navigation'))`)
 * over jsdom's own history, which Next's router observes in the same way.
 */
const listeners = new Set<() => void>()

const replaceState = window.history.replaceState.bind(window.history)
window.history.replaceState = (...args) => {
  replaceState(...args)
  for (const listener of listeners) listener()
}

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
