import type { ReactNode } from 'react'
import { markPaths } from '@/components/brand/mark-paths'
import styles from './display.module.css'

interface DisplayProps {
  title: string
  children: ReactNode
  /** How many of the mark's three vanes have grown: the one picture that all displays share. */
  vanes: number
}

/** One moment of the closed beta: a feather that grows with every step, a heading, what is next. */
export function Display({ title, children, vanes }: DisplayProps) {
  return (
    <main id="main" className={styles.display}>
      <Feather vanes={vanes} />
      <h1 className={styles.title}>{title}</h1>
      <div className={styles.next}>{children}</div>
    </main>
  )
}

function Feather({ vanes }: { vanes: number }) {
  return (
    <svg viewBox="0 0 32 32" className={styles.feather} aria-hidden>
      {/* The vanes overlap: what has grown lies on top. */}
      {markPaths.slice(vanes).map((path) => (
        <path key={path} d={path} className={styles.due} />
      ))}
      {markPaths.slice(0, vanes).map((path) => (
        <path key={path} d={path} className={styles.grown} />
      ))}
    </svg>
  )
}
