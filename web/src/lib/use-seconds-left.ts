import { useCallback, useSyncExternalStore } from 'react'

const SECOND_MS = 1000

/** How many seconds are left until a time (ISO 8601), 0 from then on and without one. */
export function useSecondsLeft(until: string | undefined): number {
  const subscribe = useCallback(
    (look: () => void) => {
      if (!until) return () => {}
      const timer = setInterval(look, SECOND_MS)
      return () => clearInterval(timer)
    },
    [until],
  )
  const left = () =>
    until ? Math.max(0, Math.ceil((Date.parse(until) - Date.now()) / SECOND_MS)) : 0
  return useSyncExternalStore(subscribe, left, () => 0)
}
