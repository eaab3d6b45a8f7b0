import { paths } from '@/config/paths'
import { site } from '@/config/site'
import { Mark } from './mark'
import styles from './wordmark.module.css'

/** The mark and the name, linked to the landing page. */
export function Wordmark() {
  return (
    <a href={paths.home} className={styles.wordmark}>
      <Mark size={24} className={styles.mark} />
      {site.name}
    </a>
  )
}
