import { useEffect, useState } from 'react'

/**
 * False in exported markup and while it is hydrated, then true. Not useSyncExternalStore: Preact, which
 * hydrates the islands, does not know its server snapshot.
 */
export function useHydrated(): boolean {
  const [hydrated, setHydrated] = useState(false)
  // eslint-disable-next-line react-hooks/set-state-in-effect -- the second rendering is the purpose
  useEffect(() => setHydrated(true), [])
  return hydrated
}
