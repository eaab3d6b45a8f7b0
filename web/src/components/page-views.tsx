'use client'

import { usePathname } from 'next/navigation'
import { useEffect } from 'react'
import { whenIdle } from '@/lib/analytics/when-idle'

function record() {
  whenIdle(() => {
    void import('@/lib/analytics/analytics').then(({ pageView }) => pageView()).catch(() => {})
  })
}

/** Records a page view on every location change, loaded when the page is idle. */
export function PageViews() {
  const pathname = usePathname()

  useEffect(record, [pathname])
  useEffect(() => {
    window.addEventListener('hashchange', record)
    return () => window.removeEventListener('hashchange', record)
  }, [])

  return null
}
