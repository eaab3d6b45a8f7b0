import { useCallback, useEffect } from 'react'
import { usePageRestored } from '@/lib/use-page-restored'
import { useAuth } from './use-auth'

/** Calls `act` once nobody is signed in, and again when the page comes back from the back/forward cache. */
export function useSignedOut(act: () => void): void {
  const { status } = useAuth()
  const check = useCallback(() => {
    if (status === 'signed-out') act()
  }, [status, act])
  useEffect(check, [check])
  usePageRestored(check)
}
