'use client'

import { useState } from 'react'
import { UnreachableScreen } from '@/components/app/unreachable-screen'
import { useSession } from './session-provider'

/**
 * What a page shows for the status `unreachable`: its address stays, the session manager retries in the background,
 * and a button retries at once.
 */
export function Unreachable({ within }: { within?: boolean }) {
  const session = useSession()
  const [retrying, setRetrying] = useState(false)
  const retry = async () => {
    setRetrying(true)
    await session.retry()
    setRetrying(false)
  }
  return <UnreachableScreen within={within} retrying={retrying} onRetry={() => void retry()} />
}
