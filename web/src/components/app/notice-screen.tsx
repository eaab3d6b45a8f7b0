import { type ReactNode, useEffect, useRef } from 'react'
import { Wordmark } from '@/components/brand/wordmark'
import styles from './notice-screen.module.css'

interface NoticeScreenProps {
  title: string
  text?: ReactNode
  children?: ReactNode
  picture?: ReactNode
  /** It replaces a loading screen: the focus moves to the title, so that a screen reader reads it. */
  announce?: boolean
  /** Stands between the header and the footer of a page. */
  within?: boolean
}

/** A page that says one thing, and offers at most a step or two. */
export function NoticeScreen(props: NoticeScreenProps) {
  const { title, text, children, picture, announce = false, within = false } = props
  const heading = useRef<HTMLHeadingElement>(null)

  useEffect(() => {
    if (announce) heading.current?.focus()
  }, [announce])

  return (
    <main id="main" className={`${styles.screen} ${within ? styles.within : ''}`}>
      {!within && <Wordmark />}
      {picture}
      <div className={styles.words}>
        <h1 ref={heading} className={styles.title} tabIndex={announce ? -1 : undefined}>
          {title}
        </h1>
        {text && <p className={styles.text}>{text}</p>}
      </div>
      {children}
    </main>
  )
}
