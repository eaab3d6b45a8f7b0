import { useCallback, useEffect, useRef, useState } from 'react'

/** How long after a server that did not answer it is asked again, in milliseconds. */
const AGAIN_MS = 10_000

/** Runs `ask` again: when the person wants it, and by itself while it is `unanswered`; one at a time. */
export function useRetrying(ask: () => Promise<void>, unanswered: boolean) {
  const running = useRef(false)
  const [retrying, setRetrying] = useState(false)
  const retry = useCallback(async () => {
    if (running.current) return
    running.current = true
    setRetrying(true)
    try {
      await ask()
    } finally {
      running.current = false
      setRetrying(false)
    }
  }, [ask])

  useEffect(() => {
    if (!unanswered || retrying) return
    const timer = setTimeout(() => void retry(), AGAIN_MS)
    return () => clearTimeout(timer)
  }, [unanswered, retrying, retry])

  return { retry, retrying }
}
