import { useEffect } from 'react'
import { guardUnload } from '@/lib/guard-unload'
import { useAppSelector } from '@/store/hooks'
import { selectSignInWanted } from '@/store/sign-in-slice'

/**
 * Makes the browser ask before a tab is closed in which something is `typed`, as its drafts go with it. Whoever is asked
 * to sign in again comes back to them.
 */
export function useDraftGuard(typed: boolean): void {
  const wanted = useAppSelector(selectSignInWanted)
  const guarded = typed && !wanted
  useEffect(() => (guarded ? guardUnload() : undefined), [guarded])
}
