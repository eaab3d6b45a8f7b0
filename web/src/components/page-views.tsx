'use client'

import { useEffect, useState } from 'react'
import type * as observer from '@/lib/analytics/observe'
import { whenIdle } from '@/lib/when-idle'

type Observer = typeof observer

/** Lazy-loads the observer once the page is idle and calls `use` with it; if that fails, nothing is recorded. */
function whenObserving(use: (observer: Observer) => void): void {
  whenIdle(() => void import('@/lib/analytics/observe').then(use).catch(() => {}))
}

/** Records page views and what happens on the page; off without analytics keys. */
export function PageViews() {
  // Captured now: a page may remove parameters from its address before the observer has loaded.
  const [arrival] = useState(() => (typeof window === 'undefined' ? '' : window.location.href))

  useEffect(() => {
    let stop: (() => void) | null = null
    let left = false
    whenObserving(({ observePage, recordView }) => {
      if (left) return
      stop = observePage()
      recordView(arrival)
      recordView()
    })
    return () => {
      left = true
      stop?.()
    }
  }, [arrival])

  return null
}
