import type { ReactNode, Ref } from 'react'
import styles from './card-head.module.css'

interface CardHeadProps {
  /** Of the heading, for what it names. */
  id: string
  title: string
  text: string
  /** The heading, where something gives it the focus. */
  headingRef?: Ref<HTMLHeadingElement>
  /** What can be done about the whole. */
  children: ReactNode
}

/** What a card is about, beside what can be done. */
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
