'use client'

import { usePathname } from 'next/navigation'
import { useEffect, useRef } from 'react'
import type * as client from '@/lib/analytics/analytics'
import { whenIdle } from '@/lib/when-idle'
import { useAuth } from './use-auth'

/** Hands the client to `use`; a browser that cannot load it sends nothing. */
function withAnalytics(use: (analytics: typeof client) => void): void {
  void import('@/lib/analytics/analytics').then(use).catch(() => {})
}

/**
 * Tells the analytics who is signed in, and when nobody is any more. On the sign-in pages nothing is
 * sent, so each page that follows asks again.
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
      // Whoever signs out leaves this page: the next one is viewed by nobody known.
      if (known.current) forget()
      else whenIdle(forget)
      known.current = false
    }
  }, [status, user, pathname])

  return null
}
