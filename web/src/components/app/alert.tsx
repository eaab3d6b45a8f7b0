import { type ReactNode, useEffect, useRef } from 'react'
import { announceProblem } from '@/lib/analytics/problems'
import styles from './alert.module.css'

/** Something failed and stays failed until the person does something about it. */
export function Alert({ children }: { children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null)
  const announced = useRef('')

  useEffect(() => {
    const text = box.current?.textContent ?? ''
    if (text && text !== announced.current) announceProblem(text)
    announced.current = text
  })

  return (
    <div ref={box} role="alert" className={styles.alert}>
      {children}
    </div>
  )
}
