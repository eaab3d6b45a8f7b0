import { useCallback, useEffect, useState } from 'react'
import { useSyncCheckoutSessionMutation } from '@/lib/api/billing-api'
import type { SubscriptionAnswer } from '@/lib/api/types'
import { useConfirmation } from '../billing/use-confirmation'

export type PackProgress = 'none' | 'waiting' | 'given' | 'on-its-way' | 'late'

/**
 * Has the server look at the finished checkout of a pack, so that nobody has to wait for Stripe's
 * webhook, until its credits are there or its money is on its way, for 30 s at most.
 */
export function usePackPayment(sessionId: string | null): PackProgress {
  const [sync] = useSyncCheckoutSessionMutation()
  // An answer may come after the next question, so the mutation's own state would lose it.
  const [became, setBecame] = useState<SubscriptionAnswer['pack']>()
  const given = became === 'given'
  const onItsWay = became === 'on_its_way'

  const look = useCallback(() => {
    if (!sessionId) return
    sync(sessionId)
      .unwrap()
      .then(({ pack }) => setBecame((before) => (pack === 'not_given' ? before : pack)))
      .catch(() => {}) // the next question may be answered
  }, [sessionId, sync])
  useEffect(look, [look])

  const waiting = useConfirmation(sessionId, given || onItsWay, look)

  if (!sessionId) return 'none'
  if (given) return 'given'
  if (onItsWay) return 'on-its-way'
  return waiting ? 'waiting' : 'late'
}
