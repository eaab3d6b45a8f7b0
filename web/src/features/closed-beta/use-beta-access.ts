import { useEffect, useState } from 'react'
import { useAuth } from '@/features/session/use-auth'
import { useGetWaitlistStatusQuery } from '@/lib/api/my-waitlist-api'

/**
 * Which of the five displays the page shows; `status` is the API's status of a waiting entry. If the look-up fails, the
 * person counts as not listed; `repeated` means that it is being retried.
 */
export type BetaAccess =
  | { name: 'loading' }
  | { name: 'signed-out' }
  | { name: 'waiting'; status: string; email: string }
  | { name: 'approved' }
  | { name: 'not-listed'; email: string; lookup: 'answered' | 'failed' | 'repeated' }

const LOOKUP_AFTER_MS = 100

/** Looks up the person's waitlist entry, debounced in case the person changes. */
export function useBetaAccess(): { access: BetaAccess; refresh: () => void } {
  const { status, user } = useAuth()
  const [lookedFor, setLookedFor] = useState<string | null>(null)
  const email = user?.email ?? null

  useEffect(() => {
    const timer = setTimeout(() => setLookedFor(email), LOOKUP_AFTER_MS)
    return () => clearTimeout(timer)
  }, [email])

  const skip = email === null || lookedFor !== email
  const lookup = useGetWaitlistStatusQuery(undefined, { skip, refetchOnMountOrArgChange: true })
  const { currentData, error, isFetching, isUninitialized } = lookup

  useEffect(() => {
    if (error) console.error('Waitlist look-up failed', error)
  }, [error])

  const refresh = () => {
    if (!isUninitialized) void lookup.refetch()
  }
  return { access: accessOf(), refresh }

  function accessOf(): BetaAccess {
    if (status === 'signed-out') return { name: 'signed-out' }
    if (email === null || skip || isUninitialized) return { name: 'loading' }
    if (currentData === 'approved') return { name: 'approved' }
    if (currentData) return { name: 'waiting', status: currentData, email }
    if (currentData === undefined && !error) return { name: 'loading' }
    const state = !error ? 'answered' : isFetching ? 'repeated' : 'failed'
    return { name: 'not-listed', email, lookup: state }
  }
}
