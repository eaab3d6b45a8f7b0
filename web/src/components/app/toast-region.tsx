'use client'

import { useEffect, useState } from 'react'
import { whenIdle } from '@/lib/when-idle'
import { lazyPart } from './lazy-part'
import { toastsWanted } from './toast'

const Toasts = lazyPart(() => import('./toaster').then((m) => m.Toasts), { failed: () => null })

/** Where toasts appear; it is there before the first of them, for those who hear them. */
export function ToastRegion() {
  const [ready, setReady] = useState(false)
  useEffect(() => {
    const show = () => setReady(true)
    void toastsWanted.then(show)
    whenIdle(show)
  }, [])
  return ready ? <Toasts /> : null
}
