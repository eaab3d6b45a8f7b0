import { useCallback, useEffect } from 'react'
import { useGetSubscriptionQuery, useSyncCheckoutSessionMutation } from '@/lib/api/billing-api'
import type { Subscription } from '@/lib/api/types'
import { useAppDispatch } from '@/store/hooks'
import type { Payment } from '../arrival'
import { refreshBilling, refreshCredits } from './refresh'
import { useConfirmation } from './use-confirmation'

export type PaymentProgress = 'none' | 'waiting' | 'arrived' | 'on-its-way' | 'late'

/** Whether the subscription is the paid one: after a change of plan or to yearly, the old one is active as well. */
function isPaid(subscription: Subscription | null | undefined, payment: Payment): boolean {
  const { plan, named, yearly } = payment
  if (subscription?.status !== 'active') return false
  if (yearly && subscription.interval !== 'year') return false
  return !named || plan === null || subscription.plan.name.toLowerCase() === plan.toLowerCase()
}

/**
 * Polls a payment until its subscription is active or the money is on its way, for 30 s at most. First the server is asked to sync the finished
 * checkout, so that nobody has to wait for Stripe's webhook.
 */
export function usePayment(payment: Payment | null): PaymentProgress {
  const dispatch = useAppDispatch()
  const { data: subscribed } = useGetSubscriptionQuery()
  const subscription = subscribed?.subscription
  const [sync] = useSyncCheckoutSessionMutation()

  const sessionId = payment?.sessionId
  useEffect(() => {
    if (sessionId) void sync(sessionId)
  }, [sessionId, sync])

  // The money of a bank account takes days.
  const onItsWay = payment !== null && subscription?.due?.processing === true
  const arrived = payment !== null && !onItsWay && isPaid(subscription, payment)
  const poll = useCallback(() => dispatch(refreshBilling()), [dispatch])
  const waiting = useConfirmation(payment, arrived || onItsWay, poll)

  useEffect(() => {
    // The credits that were read beside the subscription may be those from before the payment.
    if (arrived) dispatch(refreshCredits())
  }, [arrived, dispatch])

  if (payment === null) return 'none'
  if (onItsWay) return 'on-its-way'
  return arrived ? 'arrived' : waiting ? 'waiting' : 'late'
}
