import type { ReactNode } from 'react'
import { paths } from '@/config/paths'
import { site } from '@/config/site'
import { PrivacyChoices } from '../privacy-choices'
import styles from './app-footer.module.css'

/** The foot of the app pages; `support` opens the way to ask for help. */
export function AppFooter({ support }: { support: ReactNode }) {
  return (
    <footer className={styles.footer}>
      <div className={styles.row}>
        <p>The desktop app requires macOS {site.minimumMacOS} or later.</p>
        <ul role="list" className={styles.links}>
          <li>{support}</li>
          <li>
            <a href={paths.blog}>Blog</a>
          </li>
          <li>
            <a href={paths.privacy}>Privacy</a>
          </li>
          <li>
            <a href={paths.terms}>Terms</a>
          </li>
          <PrivacyChoices />
        </ul>
      </div>
    </footer>
  )
}
