'use client'

import type { ReactNode } from 'react'
import { Wordmark } from '../brand/wordmark'
import { Mark } from '../brand/mark'
import button from '../button.module.css'
import styles from './message-page.module.css'

interface MessagePageProps {
  title: string
  children: ReactNode
  link: { href: string; label: string }
  /** Another way on, beside the link. */
  action?: ReactNode
}

/** A page that has one thing to say, and the ways on. */
export function MessagePage({ title, children, link, action }: MessagePageProps) {
  return (
    <div className={styles.page}>
      <header>
        <Wordmark />
      </header>
      <main id="main" className={styles.message}>
        <h1>{title}</h1>
        <p>{children}</p>
        <div className={styles.ways}>
          <a href={link.href} className={button.primary} data-event="message_link">
            {link.label}
          </a>
          {action}
        </div>
      </main>
      <Mark size={520} className={styles.mark} />
    </div>
  )
}
