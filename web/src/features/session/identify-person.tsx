'use client'

import { usePathname } from 'next/navigation'
import { useEffect } from 'react'
import type * as client from '@/lib/analytics/analytics'
import { whenIdle } from '@/lib/analytics/when-idle'
import { useAuth } from './use-auth'

/** Hands the client to `use` once the page is idle; a browser that cannot load it sends nothing. */
function withAnalytics(use: (analytics: typeof client) => void): void {
  whenIdle(() => void import('@/lib/analytics/analytics').then(use).catch(() => {}))
}

/**
 * Tells the analytics who is signed in, and when nobody is any more. On the sign-in pages nothing is
 * sent, so each page that follows asks again.
 */
export function IdentifyPerson() {
  const { status, user } = useAuth()
  const pathname = usePathname()

  useEffect(() => {
    if (user) withAnalytics(({ identify }) => void identify(user))
    else if (status === 'signed-out') withAnalytics(({ forget }) => void forget())
  }, [status, user, pathname])

  return null
}
