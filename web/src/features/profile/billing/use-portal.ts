import { useCallback, useEffect, useRef, useState } from 'react'
import { paths } from '@/config/paths'
import { useAuth } from '@/features/session/use-auth'
import { showAlert } from '@/lib/alert'
import { announceProblem } from '@/lib/analytics/problems'
import { useCreatePortalSessionMutation } from '@/lib/api/billing-api'
import { leaveTo } from '@/lib/leave'
import { usePageRestored } from '@/lib/use-page-restored'
import { useAppDispatch } from '@/store/hooks'
import { failureText } from './failure-text'
import { webAddress } from './payment-page'
import { refreshBilling } from './refresh'
import { returnFlag } from './return-flag'
import { POLL_MS } from './use-confirmation'

const FAILED = 'Unable to load subscription management. Please try again.'
const OFFERS = `In the real portal you can:
• Update your payment method
• Download invoices
• Cancel your subscription
• View your billing history`

/** Stripe's portal: the way there, and what the way back needs. */
export function usePortal() {
  const { user } = useAuth()
  const [create] = useCreatePortalSessionMutation()
  const [opening, setOpening] = useState(false)
  const asked = useRef(false)

  const done = useCallback(() => {
    asked.current = false
    setOpening(false)
  }, [])

  usePageRestored(done)

  const open = async () => {
    if (asked.current) return
    asked.current = true
    setOpening(true)
    try {
      const returnUrl = window.location.origin + paths.profile
      const answer = await create({ userId: user?.id ?? '', returnUrl }).unwrap()
      const url = webAddress(answer.url)
      if (url) {
        returnFlag.set()
        leaveTo(url)
        return
      }
      if (!answer.message) announceProblem('portal_failed')
      // Only a demo, which has no portal, answers with a message.
      showAlert(answer.message ? `${answer.message}\n\n${OFFERS}` : FAILED)
    } catch (error) {
      console.error('The billing portal could not be opened', error)
      announceProblem('portal_failed')
      showAlert(failureText(error, FAILED))
    }
    done()
  }

  return { open: () => void open(), opening }
}

/** Refetches the person's data after a visit to the portal, where anything may have changed. */
export function useReturnFromPortal(): void {
  const dispatch = useAppDispatch()

  useEffect(() => {
    if (!returnFlag.isSet()) return
    // The page has just read everything. Stripe's event about the change may still be on its way.
    const timer = setTimeout(() => {
      returnFlag.clear()
      dispatch(refreshBilling())
    }, POLL_MS)
    return () => clearTimeout(timer)
  }, [dispatch])

  usePageRestored(
    useCallback(() => {
      if (!returnFlag.isSet()) return
      returnFlag.clear()
      dispatch(refreshBilling())
    }, [dispatch]),
  )
}
