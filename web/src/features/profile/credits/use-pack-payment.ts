import { useEffect } from 'react'
import { useSyncCheckoutSessionMutation } from '@/lib/api/billing-api'

export type PackProgress = 'none' | 'waiting' | 'known' | 'late'

/**
 * Has the server look at the finished checkout of a pack, so that nobody has to wait for Stripe's
 * webhook. `known` is when the credits, read again, have it or say that its money is on its way;
 * `reading` says that they are being read.
 */
export function usePackPayment(sessionId: string | null, reading: boolean): PackProgress {
  const [sync, { isSuccess, isError }] = useSyncCheckoutSessionMutation()

  useEffect(() => {
    if (sessionId) void sync(sessionId)
  }, [sessionId, sync])

  if (!sessionId) return 'none'
  if (isError) return 'late'
  return isSuccess && !reading ? 'known' : 'waiting'
}
