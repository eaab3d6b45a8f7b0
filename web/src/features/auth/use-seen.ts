import { useEffect, useState } from 'react'

const SEEN_AFTER_MS = 500

/**
 * Whether the page has been in front for a moment. Before that a click may have been meant for the page that stood there:
 * one that opens this page under the second click of a double click would have it pressed unread.
 */
export function useSeen(): boolean {
  const [seen, setSeen] = useState(false)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      clearTimeout(timer)
      setSeen(false)
      if (document.visibilityState === 'visible')
        timer = setTimeout(() => setSeen(true), SEEN_AFTER_MS)
    }
    look()
    document.addEventListener('visibilitychange', look)
    window.addEventListener('focus', look)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', look)
      window.removeEventListener('focus', look)
    }
  }, [])
  return seen
}
