'use client'

import { useRouter } from 'next/navigation'
import { useCallback, useEffect, useState } from 'react'
import { WaitingScreen } from '@/components/app/waiting-screen'
import { paths } from '@/config/paths'
import { useSession } from '@/features/session/session-provider'
import { Unreachable } from '@/features/session/unreachable'
import { useAuth } from '@/features/session/use-auth'

const CHECK_AFTER_MS = 1000

/** /upgrade: the app sends people here who want a plan; they go on to their profile. */
export function UpgradeScreen() {
  const session = useSession()
  const router = useRouter()
  const { status } = useAuth()
  const [unanswered, setUnanswered] = useState(false)

  const goOn = useCallback(
    (signedIn: boolean) => {
      const fromApp = new URLSearchParams(window.location.search).get('source') === 'electron'
      const profile = fromApp ? `${paths.profile}?paywall=true` : paths.profile
      router.replace(signedIn ? profile : paths.home)
    },
    [router],
  )

  useEffect(() => {
    let left = false
    const check = async () => {
      try {
        const current = await session.current()
        if (!left) goOn(current !== null)
      } catch {
        if (left) return
        void session.retry()
        setUnanswered(true)
      }
    }
    const timer = setTimeout(() => void check(), CHECK_AFTER_MS)
    return () => {
      left = true
      clearTimeout(timer)
    }
  }, [session, goOn])

  useEffect(() => {
    if (!unanswered) return
    if (status === 'signed-in' || status === 'signed-out') goOn(status === 'signed-in')
  }, [unanswered, status, goOn])

  if (unanswered && status === 'unreachable') return <Unreachable />
  return <WaitingScreen text="Redirecting to profile..." />
}
