import { useEffect, useState } from 'react'

/** How many of `count` parts to show: one at first, then another one in each task that follows. */
export function useTurns(count: number): number {
  const [shown, show] = useState(1)

  useEffect(() => {
    if (shown >= count) return
    const timer = setTimeout(() => show(shown + 1))
    return () => clearTimeout(timer)
  }, [shown, count])

  return Math.min(shown, count)
}
