import type { CSSProperties, ReactNode } from 'react'
import { lineOf } from './scenes'
import styles from './phone.module.css'

/** An iPhone around `children`. The drawing is one picture with the text alternative `label`. */
export function Phone({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={styles.phone} role="img" aria-label={label}>
      <div className={styles.screen} aria-hidden="true">
        <div className={styles.status}>
          <span>9:41</span>
          <span className={styles.island} />
          <span className={styles.signal} />
        </div>
        {children}
        <div className={styles.home} />
      </div>
    </div>
  )
}

interface WrittenProps {
  code: string
  /** Fragment of the line that makes this part; the part appears when the line is written. */
  by: string
  as?: 'div' | 'p'
  className?: string
  children: ReactNode
}

/** A part of the screen that appears with its line of code. */
export function Written({ code, by, as: Element = 'div', className = '', children }: WrittenProps) {
  const style = { '--l': lineOf(code, by) } as CSSProperties
  return (
    <Element className={`${styles.written} ${className}`} style={style}>
      {children}
    </Element>
  )
}

/** The large title that `.navigationTitle` gives. */
export function Title({ code, children }: { code: string; children: string }) {
  return (
    <Written code={code} by=".navigationTitle" as="p" className={styles.title}>
      {children}
    </Written>
  )
}

/** A grouped section with its header; the header appears with the `Section` line. */
export function Section({
  code,
  name,
  children,
}: {
  code: string
  name?: string
  children: ReactNode
}) {
  return (
    <div className={styles.section}>
      {name ? (
        <Written code={code} by={`Section("${name}")`} as="p" className={styles.header}>
          {name}
        </Written>
      ) : null}
      <div className={styles.group}>{children}</div>
    </div>
  )
}

/** A switch; `flips` shows it being tapped on once the screen is complete. */
export function Switch({ flips = false }: { flips?: boolean }) {
  return <span className={`${styles.switch} ${flips ? styles.flips : ''}`} />
}
