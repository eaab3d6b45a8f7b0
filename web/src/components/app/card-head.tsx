import type { ReactNode, Ref } from 'react'
import styles from './card-head.module.css'

interface CardHeadProps {
  /** The heading's id, for `aria-labelledby`. */
  id: string
  title: string
  text: string
  /** A ref to the heading, to focus it. */
  headingRef?: Ref<HTMLHeadingElement>
  /** Actions for the whole card. */
  children?: ReactNode
}

/** A card's heading and text, with its actions beside them. */
export function CardHead({ id, title, text, headingRef, children }: CardHeadProps) {
  return (
    <div className={styles.head}>
      <div className={styles.words}>
        <h2
          id={id}
          className={styles.title}
          ref={headingRef}
          tabIndex={headingRef ? -1 : undefined}
        >
          {title}
        </h2>
        <p className={styles.text}>{text}</p>
      </div>
      {children}
    </div>
  )
}
