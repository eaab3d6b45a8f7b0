'use client'

import { type ReactNode, useEffect, useRef } from 'react'
import { whenIdle } from '@/lib/when-idle'
import styles from './triptych.module.css'

/** Who has not come by then finds the scene complete, in milliseconds. */
const PATIENCE = 4000

/** Plays the scene once its upper part can be seen and the page has nothing more urgent to do. */
export function Stage({ children }: { children: ReactNode }) {
  const figure = useRef<HTMLElement>(null)

  useEffect(() => {
    const play = () => {
      stop()
      whenIdle(() => figure.current?.setAttribute('data-playing', ''))
    }
    const seen = new IntersectionObserver(([entry]) => entry?.isIntersecting && play(), {
      rootMargin: '0px 0px -30%',
    })
    const timer = setTimeout(play, PATIENCE)
    const stop = () => {
      seen.disconnect()
      clearTimeout(timer)
    }
    if (figure.current) seen.observe(figure.current)
    return stop
  }, [])

  return (
    <figure ref={figure} className={styles.triptych}>
      {children}
    </figure>
  )
}
