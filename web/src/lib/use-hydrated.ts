import { useSyncExternalStore } from 'react'

const never = () => () => {}

/** False in exported markup and while it is hydrated, then true. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  )
}
