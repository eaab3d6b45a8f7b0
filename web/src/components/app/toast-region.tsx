'use client'

import { useEffect, useState } from 'react'
import { whenIdle } from '@/lib/when-idle'
import { lazyPart } from './lazy-part'
import { toastsWanted } from './toast'

const Toasts = lazyPart(() => import('./toaster').then((m) => m.Toasts), { failed: () => null })

/** The live region for toasts. It exists before the first of them, or screen readers would not announce that one. */
export function ToastRegion() {
  const [ready, setReady] = useState(false)
  useEffect(() => {
    const show = () => setReady(true)
    void toastsWanted.then(show)
    whenIdle(show)
  }, [])
  return ready ? <Toasts /> : null
}
