import { useEffect, useState } from 'react'

/** The polling interval and its timeout: Stripe's webhook may arrive after the visitor. */
export const POLL_MS = 2000
const POLL_FOR_MS = 30_000

/**
 * Calls `poll`, which must be the same function each time, every 2 s until a payment is settled, for
 * 30 s at most. Whether that goes on; a payment that is neither settled nor waited for is late.
 */
export function useConfirmation<Paid>(
  payment: Paid | null,
  settled: boolean,
  poll: () => void,
): boolean {
  const [late, setLate] = useState<Paid | null>(null)
  const waiting = payment !== null && !settled && late !== payment

  useEffect(() => {
    if (!waiting) return
    const polls = setInterval(poll, POLL_MS)
    const end = setTimeout(() => setLate(() => payment), POLL_FOR_MS)
    return () => {
      clearInterval(polls)
      clearTimeout(end)
    }
  }, [waiting, payment, poll])

  return waiting
}
