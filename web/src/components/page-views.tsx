'use client'

import { usePathname } from 'next/navigation'
import { useEffect } from 'react'
import type * as observer from '@/lib/analytics/observe'
import { whenIdle } from '@/lib/when-idle'

type Observer = typeof observer

/** Hands the observer to `use` once the page is idle; a browser that cannot load it observes nothing. */
function whenObserving(use: (observer: Observer) => void): void {
  whenIdle(() => void import('@/lib/analytics/observe').then(use).catch(() => {}))
}

/** Records page views and what happens on the page; off without analytics keys. */
export function PageViews() {
  const pathname = usePathname()

  useEffect(() => whenObserving(({ recordView }) => recordView()), [pathname])

  useEffect(() => {
    let stop: (() => void) | null = null
    let left = false
    whenObserving(({ observePage }) => {
      if (!left) stop = observePage()
    })
    return () => {
      left = true
      stop?.()
    }
  }, [])

  return null
}
