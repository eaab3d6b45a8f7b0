import type { Heading } from '@/lib/content/outline'
import styles from './contents.module.css'

/** A quiet table of contents beside long text; wide screens only. */
export function Contents({ headings }: { headings: Heading[] }) {
  return (
    <nav className={styles.contents} aria-label="On this page">
      <ol role="list">
        {headings.map(({ id, text }) => (
          <li key={id}>
            <a href={`#${id}`}>{text}</a>
          </li>
        ))}
      </ol>
    </nav>
  )
}
