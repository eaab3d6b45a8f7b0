'use client'

import { usePathname } from 'next/navigation'
import { useEffect, useRef } from 'react'
import type * as client from '@/lib/analytics/analytics'
import { whenIdle } from '@/lib/when-idle'
import { useAuth } from './use-auth'

/** Lazy-loads the analytics client and calls `use` with it; if that fails, nothing is sent. */
function withAnalytics(use: (analytics: typeof client) => void): void {
  void import('@/lib/analytics/analytics').then(use).catch(() => {})
}

/**
 * Tells the analytics who is signed in, and when they sign out. Again on each page, because the sign-in pages send
 * nothing.
 */
export function IdentifyPerson() {
  const { status, user } = useAuth()
  const pathname = usePathname()
  const known = useRef(false)

  useEffect(() => {
    const forget = () => withAnalytics((analytics) => void analytics.forget())
    if (user) {
      known.current = true
      whenIdle(() => withAnalytics((analytics) => void analytics.identify(user)))
    } else if (status === 'signed-out') {
      // At once after a sign-out, which leaves this page: the view of the next one must be anonymous.
      if (known.current) forget()
      else whenIdle(forget)
      known.current = false
    }
  }, [status, user, pathname])

  return null
}
