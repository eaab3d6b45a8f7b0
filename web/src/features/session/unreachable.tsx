'use client'

import { useState } from 'react'
import { UnreachableScreen } from '@/components/app/unreachable-screen'
import { useSession } from './session-provider'

/**
 * What a page shows for the status `unreachable`: it keeps its address, tries again by itself, and
 * at once when it is asked to.
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
