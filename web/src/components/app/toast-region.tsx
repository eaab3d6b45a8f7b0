'use client'

import { type ComponentType, useEffect, useState } from 'react'
import { whenIdle } from '@/lib/when-idle'
import { PartBoundary } from './part-boundary'
import { offerRegion } from './toast'

const interactions = ['pointerdown', 'keydown'] as const

async function loadToasts(): Promise<ComponentType> {
  const [{ DesignSystem }, { Toasts }] = await Promise.all([
    import('./theme/design-system'),
    import('./toaster'),
  ])
  return function DesignedToasts() {
    return (
      <DesignSystem>
        <Toasts />
      </DesignSystem>
    )
  }
}

/**
 * The live region for toasts. It exists before the first of them, or screen readers would not announce that one.
 * Almost every toast follows something that the person does, so loading a page does not wait for the region. One that
 * could not be loaded is asked for again with the next interaction or toast.
 */
export function ToastRegion() {
  const [Toasts, setToasts] = useState<ComponentType | null>(null)
  useEffect(() => {
    const listening = new AbortController()
    let loading: Promise<void> | null = null
    let soon = false
    const load = () =>
      (loading ??= loadToasts().then(
        (loaded) => {
          listening.abort()
          setToasts(() => loaded)
        },
        (error: unknown) => {
          loading = null
          soon = false
          throw error
        },
      ))
    const loadSoon = () => {
      if (soon) return
      soon = true
      whenIdle(() => load().catch((error) => console.error('Toasts could not be loaded', error)))
    }
    const withdraw = offerRegion(load)
    for (const name of interactions) {
      window.addEventListener(name, loadSoon, { signal: listening.signal, passive: true })
    }
    return () => {
      listening.abort()
      withdraw()
    }
  }, [])
  return (
    Toasts && (
      <PartBoundary>
        <Toasts />
      </PartBoundary>
    )
  )
}
