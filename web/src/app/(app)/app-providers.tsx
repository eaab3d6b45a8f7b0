'use client'

import { type ReactNode, useEffect } from 'react'
import { IdentifyPerson } from '@/features/session/identify-person'
import { SessionExpired } from '@/features/session/session-expired'
import { SessionProvider } from '@/features/session/session-provider'
import { keepFocus } from '@/lib/keep-focus'

/** What every app page has; the marketing pages ship without it. */
export function AppProviders({ children }: { children: ReactNode }) {
  useEffect(keepFocus, [])
  return (
    <SessionProvider>
      {children}
      <IdentifyPerson />
      <SessionExpired />
    </SessionProvider>
  )
}
