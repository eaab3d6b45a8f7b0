'use client'

import type { ReactNode } from 'react'
import { IdentifyPerson } from '@/features/session/identify-person'
import { SessionExpired } from '@/features/session/session-expired'
import { SessionProvider } from '@/features/session/session-provider'
import { WelcomeBack } from '@/features/session/welcome-back'

/** What every app page has; the marketing pages ship without it. */
export function AppProviders({ children }: { children: ReactNode }) {
  return (
    <SessionProvider>
      {children}
      <IdentifyPerson />
      <SessionExpired />
      <WelcomeBack />
    </SessionProvider>
  )
}
