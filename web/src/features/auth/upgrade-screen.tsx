'use client'

import { useRouter } from 'next/navigation'
import { useEffect } from 'react'
import { WaitingScreen } from '@/components/app/waiting-screen'
import { paths } from '@/config/paths'
import { useSession } from '@/features/session/session-provider'

const CHECK_AFTER_MS = 1000

/** /upgrade: the app sends people here who want a plan; they go on to their profile. */
export function UpgradeScreen() {
  const session = useSession()
  const router = useRouter()

  useEffect(() => {
    let left = false
    const timer = setTimeout(async () => {
      const current = session.session ?? (await session.read().catch(() => null))
      if (left) return
      const fromApp = new URLSearchParams(window.location.search).get('source') === 'electron'
      const profile = fromApp ? `${paths.profile}?paywall=true` : paths.profile
      router.replace(current ? profile : paths.home)
    }, CHECK_AFTER_MS)
    return () => {
      left = true
      clearTimeout(timer)
    }
  }, [session, router])

  return <WaitingScreen text="Redirecting to profile..." />
}
