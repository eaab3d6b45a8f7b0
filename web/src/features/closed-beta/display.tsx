import { type ReactNode, useEffect, useId, useRef } from 'react'
import { PartBoundary } from '@/components/app/part-boundary'
import { markPaths } from '@/components/brand/mark-paths'
import styles from './display.module.css'

interface DisplayProps {
  title: string
  children: ReactNode
  /** How many of the mark's three vanes have grown: the one picture that all displays share. */
  vanes: number
  /** What has just led here. The heading takes the focus, and is read out with it. */
  arrival?: ReactNode
}

/** One moment of the closed beta: a feather that grows with every step, a heading, what is next. */
export function Display({ title, children, vanes, arrival }: DisplayProps) {
  const id = useId()
  const heading = useRef<HTMLHeadingElement>(null)
  const arrived = Boolean(arrival)
  useEffect(() => {
    if (arrived) heading.current?.focus()
  }, [arrived])

  return (
    <main id="main" className={styles.display}>
      <Feather vanes={vanes} />
      <h1
        ref={heading}
        className={styles.title}
        {...(arrived && { tabIndex: -1, 'aria-describedby': id })}
      >
        {title}
      </h1>
      <div className={styles.next}>
        {arrived && (
          <div id={id} className={styles.arrival}>
            {arrival}
          </div>
        )}
        <PartBoundary>{children}</PartBoundary>
      </div>
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
