import type { ReactNode } from 'react'
import { paths } from '@/config/paths'
import { site } from '@/config/site'
import { signInAt } from '@/lib/auth/return-to'
import { Wordmark } from '../brand/wordmark'
import { PrivacyChoices } from '../privacy-choices'
import styles from './site-footer.module.css'

interface Group {
  title: string
  links: { href: string; label: string }[]
  more?: ReactNode
}

const groups: Group[] = [
  {
    title: 'Product',
    links: [
      { href: paths.features, label: 'Features' },
      { href: paths.support, label: 'Founder support' },
      { href: paths.closedBeta, label: 'Closed beta' },
      { href: paths.signIn, label: 'Sign in' },
    ],
  },
  {
    title: 'Read',
    links: [
      { href: paths.blog, label: 'Blog' },
      { href: paths.privacy, label: 'Privacy' },
      { href: paths.terms, label: 'Terms' },
    ],
    more: <PrivacyChoices />,
  },
  {
    title: 'Talk to us',
    links: [{ href: `mailto:${site.emails.support}`, label: site.emails.support }],
  },
]

interface SiteFooterProps {
  /** The page that signing in leads to; without it, the profile. */
  signInTo?: string
}

/** The foot of every public page. */
export function SiteFooter({ signInTo }: SiteFooterProps) {
  const hrefOf = (href: string) => (href === paths.signIn && signInTo ? signInAt(signInTo) : href)
  return (
    <footer className={styles.footer}>
      <div className={styles.inner}>
        <div className={styles.brand}>
          <Wordmark />
          <p>The desktop app requires macOS {site.minimumMacOS} or later.</p>
        </div>
        <nav aria-label="Footer" className={styles.groups}>
          {groups.map(({ title, links, more }) => (
            <div key={title}>
              <h2>{title}</h2>
              <ul role="list">
                {links.map(({ href, label }) => (
                  <li key={href}>
                    <a href={hrefOf(href)}>{label}</a>
                  </li>
                ))}
                {more}
              </ul>
            </div>
          ))}
        </nav>
      </div>
    </footer>
  )
}
