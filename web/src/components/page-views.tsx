'use client'

import { usePathname } from 'next/navigation'
import { useEffect } from 'react'
import { observePage, recordView } from '@/lib/analytics/observe'

/** Records page views and what happens on the page, once it is idle; off without analytics keys. */
export function PageViews() {
  const pathname = usePathname()

  useEffect(recordView, [pathname])
  useEffect(observePage, [])

  return null
}
