'use client'

import { type ReactNode, useEffect, useRef } from 'react'
import { whenIdle } from '@/lib/when-idle'
import styles from './triptych.module.css'

/** Plays the scene once its upper part can be seen and the page has nothing more urgent to do. */
export function Stage({ children }: { children: ReactNode }) {
  const figure = useRef<HTMLElement>(null)

  useEffect(() => {
    const seen = new IntersectionObserver(
      ([entry]) => {
        if (!entry?.isIntersecting) return
        seen.disconnect()
        whenIdle(() => figure.current?.setAttribute('data-playing', ''))
      },
      { rootMargin: '0px 0px -30%' },
    )
    if (figure.current) seen.observe(figure.current)
    return () => seen.disconnect()
  }, [])

  return (
    <figure ref={figure} className={styles.triptych}>
      {children}
    </figure>
  )
}
