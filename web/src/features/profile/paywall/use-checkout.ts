import { useCallback, useRef, useState } from 'react'
import { paths } from '@/config/paths'
import { useAuth } from '@/features/session/use-auth'
import { showAlert } from '@/lib/alert'
import { announceProblem } from '@/lib/analytics/problems'
import { useCreateCheckoutSessionMutation } from '@/lib/api/billing-api'
import { answerOf, isProblem } from '@/lib/api/problem'
import type { CheckoutRequest, Pack, Plan } from '@/lib/api/types'
import { leaveTo } from '@/lib/leave'
import { usePageRestored } from '@/lib/use-page-restored'
import { failureText } from '../billing/failure-text'
import { webAddress } from '../billing/payment-page'
import { returnFlag } from '../billing/return-flag'
import { type Interval, purchaseOf } from './offer'

const SIGN_IN = 'Please sign in to upgrade your plan'
const FAILED = 'Failed to redirect to checkout. Please try again.'

/** Where Stripe sends the browser back to; Stripe fills in the checkout's id. */
function returnAddresses(plan: Plan, chosen: Interval, origin: string) {
  const profile = origin + paths.profile
  const { interval, price, credits } = purchaseOf(plan, chosen)
  const bought = new URLSearchParams({
    success: 'true',
    plan: plan.name,
    tokens: String(credits),
    price,
    ...(interval === 'year' && { interval }),
  })
  return {
    successUrl: `${profile}?${bought}&session_id={CHECKOUT_SESSION_ID}`,
    cancelUrl: `${profile}?canceled=true`,
  }
}

/** What to say of a checkout that did not start. */
function refusalText(error: unknown): string {
  const signedOut = isProblem(error) && error.kind === 'no-session'
  return signedOut || answerOf(error)?.status === 401 ? SIGN_IN : failureText(error, FAILED)
}

/**
 * Starts a checkout and leaves for it; one at a time, however often the button is pressed. What happens
 * only `later` is not paid now.
 */
export function useCheckout() {
  const { user } = useAuth()
  const [create] = useCreateCheckoutSessionMutation()
  const [starting, setStarting] = useState<string | null>(null)
  const asked = useRef(false)

  const done = useCallback(() => {
    asked.current = false
    setStarting(null)
  }, [])

  usePageRestored(done)

  const leave = async (id: string, order: Omit<CheckoutRequest, 'userId'>, later: boolean) => {
    if (asked.current) return
    if (!user) return showAlert(SIGN_IN)
    asked.current = true
    setStarting(id)
    try {
      const { url } = await create({ ...order, userId: user.id }).unwrap()
      const address = webAddress(url)
      if (!address) throw new Error('Stripe failed to load')
      // Nobody waits for a payment afterwards: the profile reads once more what has changed.
      if (later) returnFlag.set()
      leaveTo(address)
    } catch (error) {
      console.error('Failed to create checkout session', error)
      announceProblem('checkout_failed')
      showAlert(refusalText(error))
      done()
    }
  }

  const start = (plan: Plan, chosen: Interval, later: boolean) => {
    const { priceId } = purchaseOf(plan, chosen)
    if (!plan.productId || !priceId) return
    const addresses = returnAddresses(plan, chosen, window.location.origin)
    void leave(plan.id, { productId: plan.productId, priceId, ...addresses }, later)
  }

  const startPack = ({ productId, priceId, credits }: Pack) => {
    const profile = window.location.origin + paths.profile
    const successUrl = `${profile}?success=true&pack=${credits}&session_id={CHECKOUT_SESSION_ID}`
    const cancelUrl = `${profile}?canceled=true`
    void leave(priceId, { productId, priceId, successUrl, cancelUrl }, false)
  }

  /** The id of the plan, or of the pack's price, whose checkout is being started. */
  return { start, startPack, starting }
}
