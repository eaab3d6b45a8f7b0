import type { ComponentProps } from 'react'
import styles from './card.module.css'

interface CardProps extends ComponentProps<'section'> {
  /** Whether it ends with rows, which bring the space below themselves. */
  rows?: boolean
}

/** A quiet surface: a hairline, no shadow. */
export function Card({ rows, className = '', ...props }: CardProps) {
  return <section className={`${styles.card} ${rows ? styles.rows : ''} ${className}`} {...props} />
}
