import { useEffect, useState } from 'react'
import { serverTime } from './server-time'

const MINUTE_MS = 60_000

/** The server's time, by the minute. */
export function useNow(): number {
  const [now, setNow] = useState(() => serverTime())
  useEffect(() => {
    const timer = setInterval(() => setNow(serverTime()), MINUTE_MS)
    return () => clearInterval(timer)
  }, [])
  return now
}
