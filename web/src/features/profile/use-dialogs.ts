import { useCallback, useEffect, useState } from 'react'
import { type Payment, readArrival } from './arrival'

type DialogName = 'plans' | 'welcome' | 'history' | 'deletion'

interface Dialogs {
  open: DialogName | null
  show: (name: DialogName) => void
  close: () => void
  /** The payment that the person has just come back from. */
  payment: Payment | null
  /** The checkout of a pack of credits that the person has just come back from. */
  pack: string | null
  /** Whether the person has just come back from a provider that could not be added. */
  linkingFailed: boolean
}

/**
 * Which of the profile's dialogs is open: the one that a button or the address asked for. For a component that is
 * mounted once somebody is known to be there: what the address asked for is removed from it.
 */
export function useDialogs(): Dialogs {
  const [open, setOpen] = useState<DialogName | null>(null)
  const [payment, setPayment] = useState<Payment | null>(null)
  const [pack, setPack] = useState<string | null>(null)
  const [linkingFailed, setLinkingFailed] = useState(false)
  const close = useCallback(() => setOpen(null), [])

  useEffect(() => {
    const arrive = () => {
      const arrival = readArrival(window.location.href)
      if (arrival.wantsPlans) setOpen('plans')
      if (arrival.wantsDeletion) setOpen('deletion')
      if (arrival.linkingFailed) setLinkingFailed(true)
      if (arrival.payment) setPayment(arrival.payment)
      if (arrival.pack) setPack(arrival.pack)
      if (arrival.payment?.plan) setOpen('welcome')
      const { pathname, search, hash } = window.location
      if (arrival.left !== pathname + search + hash) {
        window.history.replaceState(null, '', arrival.left)
      }
    }
    arrive()
    window.addEventListener('hashchange', arrive)
    return () => window.removeEventListener('hashchange', arrive)
  }, [])

  return { open, show: setOpen, close, payment, pack, linkingFailed }
}
