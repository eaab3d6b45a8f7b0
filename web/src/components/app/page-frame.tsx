import type { ReactNode } from 'react'
import styles from './page-frame.module.css'

interface PageFrameProps {
  /** Whether the page says one thing, in its middle. */
  centred?: boolean
  children: ReactNode
}

/** The main part of an app page, as wide as the header above it. */
export function PageFrame({ centred, children }: PageFrameProps) {
  return (
    <main id="main" className={`${styles.frame} ${centred ? styles.centred : ''}`}>
      {children}
    </main>
  )
}
