import styles from './back-link.module.css'

/** The way back, at the head of a page. */
export function BackLink({ href, children }: { href: string; children: string }) {
  return (
    <a href={href} className={styles.link}>
      <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
        <path
          d="M9 4 3 10l6 6M3.5 10H17"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.8"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
      {children}
    </a>
  )
}
