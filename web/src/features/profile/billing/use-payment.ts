import { useEffect, useState } from 'react'
import { useGetSubscriptionQuery, useSyncCheckoutSessionMutation } from '@/lib/api/billing-api'
import type { Subscription } from '@/lib/api/types'
import { useAppDispatch } from '@/store/hooks'
import type { Payment } from '../arrival'
import { refreshBilling, refreshCredits } from './refresh'

/** The polling interval and its timeout: Stripe's webhook may arrive after the visitor. */
export const POLL_MS = 2000
const POLL_FOR_MS = 30_000

export type PaymentProgress = 'none' | 'waiting' | 'arrived' | 'late'

/** Whether the subscription is the paid one: after a change of plan, the old one is active as well. */
function isPaid(subscription: Subscription | null | undefined, { plan, named }: Payment): boolean {
  if (subscription?.status !== 'active') return false
  return !named || plan === null || subscription.plan.name.toLowerCase() === plan.toLowerCase()
}

/**
 * Polls a payment until its subscription is active, for 30 s at most. First the server is asked to sync the finished
 * checkout, so that nobody has to wait for Stripe's webhook.
 */
export function usePayment(payment: Payment | null): PaymentProgress {
  const dispatch = useAppDispatch()
  const { data: subscription } = useGetSubscriptionQuery()
  const [sync] = useSyncCheckoutSessionMutation()
  const [late, setLate] = useState<Payment | null>(null)

  const sessionId = payment?.sessionId
  useEffect(() => {
    if (sessionId) void sync(sessionId)
  }, [sessionId, sync])

  const arrived = payment !== null && isPaid(subscription, payment)
  const waiting = payment !== null && !arrived && late !== payment

  useEffect(() => {
    if (!waiting) return
    const polls = setInterval(() => dispatch(refreshBilling()), POLL_MS)
    const end = setTimeout(() => setLate(payment), POLL_FOR_MS)
    return () => {
      clearInterval(polls)
      clearTimeout(end)
    }
  }, [waiting, payment, dispatch])

  useEffect(() => {
    // The credits that were read beside the subscription may be those from before the payment.
    if (arrived) dispatch(refreshCredits())
  }, [arrived, dispatch])

  if (payment === null) return 'none'
  return arrived ? 'arrived' : waiting ? 'waiting' : 'late'
}
