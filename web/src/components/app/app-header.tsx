import type { ReactNode } from 'react'
import { Wordmark } from '@/components/brand/wordmark'
import styles from './app-header.module.css'

/** The bar above the app pages: the logo, and whoever is signed in. Its height never changes. */
export function AppHeader({ account }: { account: ReactNode }) {
  return (
    <header className={styles.header}>
      <div className={styles.bar}>
        <Wordmark />
        {account}
      </div>
    </header>
  )
}
