import { useEffect } from 'react'
import { guardUnload } from '@/lib/guard-unload'
import { useAppSelector } from '@/store/hooks'
import { selectSignInWanted } from '@/store/sign-in-slice'

/**
 * Makes the browser ask before the tab is closed while something is `typed`, as the drafts are lost with the tab. It does
 * not ask whoever leaves to sign in again: they come back to their drafts.
 */
export function useDraftGuard(typed: boolean): void {
  const wanted = useAppSelector(selectSignInWanted)
  const guarded = typed && !wanted
  useEffect(() => (guarded ? guardUnload() : undefined), [guarded])
}
