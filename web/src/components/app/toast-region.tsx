'use client'

import { useEffect, useState } from 'react'
import { whenIdle } from '@/lib/when-idle'
import { lazyPart } from './lazy-part'
import { toastsWanted } from './toast'

const Toasts = lazyPart(() => import('./toaster').then((m) => m.Toasts), { failed: () => null })

const interactions = ['pointerdown', 'keydown'] as const

/**
 * The live region for toasts. It exists before the first of them, or screen readers would not announce that one.
 * Almost every toast follows something that the person does, so loading a page does not wait for the region.
 */
export function ToastRegion() {
  const [ready, setReady] = useState(false)
  useEffect(() => {
    const listening = new AbortController()
    const show = () => setReady(true)
    const showSoon = () => {
      listening.abort()
      whenIdle(show)
    }
    void toastsWanted.then(show)
    for (const name of interactions) {
      window.addEventListener(name, showSoon, { signal: listening.signal, passive: true })
    }
    return () => listening.abort()
  }, [])
  return ready ? <Toasts /> : null
}
