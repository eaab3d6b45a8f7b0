'use client'

import { useEffect, useRef } from 'react'
import { whenIdle } from '@/lib/when-idle'

/**
 * Plays the scene of the figure around it, once: when its upper part enters the viewport and the page is idle.
 */
export function PlayWhenSeen() {
  const place = useRef<HTMLSpanElement>(null)

  useEffect(() => {
    const figure = place.current?.closest('figure')
    if (!figure) return
    const seen = new IntersectionObserver(
      ([entry]) => {
        if (!entry?.isIntersecting) return
        seen.disconnect()
        whenIdle(() => figure.setAttribute('data-playing', ''))
      },
      { rootMargin: '0px 0px -30%' },
    )
    seen.observe(figure)
    return () => seen.disconnect()
  }, [])

  return <span ref={place} hidden />
}
