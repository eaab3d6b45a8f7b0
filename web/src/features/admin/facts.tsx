import type { ReactNode } from 'react'
import styles from './facts.module.css'

interface FactProps {
  name: string
  /** Across all columns. */
  wide?: boolean
  children: ReactNode
}

/** One thing that is known, with its name; for a `dl` that is a grid. */
export function Fact({ name, wide = false, children }: FactProps) {
  return (
    <div className={wide ? styles.wide : styles.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
