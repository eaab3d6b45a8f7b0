'use client'

import { useEffect, useRef } from 'react'
import { whenIdle } from '@/lib/when-idle'

/** Who has not come by then finds the scene complete, in milliseconds. */
const PATIENCE = 4000

/**
 * Plays the scene of the figure around it once its upper part can be seen and the page has nothing
 * more urgent to do.
 */
export function PlayWhenSeen() {
  const place = useRef<HTMLSpanElement>(null)

  useEffect(() => {
    const figure = place.current?.closest('figure')
    if (!figure) return
    const play = () => {
      stop()
      whenIdle(() => figure.setAttribute('data-playing', ''))
    }
    const seen = new IntersectionObserver(([entry]) => entry?.isIntersecting && play(), {
      rootMargin: '0px 0px -30%',
    })
    const timer = setTimeout(play, PATIENCE)
    const stop = () => {
      seen.disconnect()
      clearTimeout(timer)
    }
    seen.observe(figure)
    return stop
  }, [])

  return <span ref={place} hidden />
}
