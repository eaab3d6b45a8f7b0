import { type ReactNode, useEffect, useRef } from 'react'
import { announceProblem } from '@/lib/analytics/problems'
import styles from './alert.module.css'

interface AlertProps {
  /** What the analytics call it. */
  problem?: string
  children: ReactNode
}

/** Something failed and stays failed until the person does something about it. */
export function Alert({ problem = 'alert', children }: AlertProps) {
  const box = useRef<HTMLDivElement>(null)
  const announced = useRef('')

  useEffect(() => {
    const text = box.current?.textContent ?? ''
    if (text && text !== announced.current) announceProblem(problem)
    announced.current = text
  })

  return (
    <div ref={box} role="alert" className={styles.alert}>
      {children}
    </div>
  )
}
