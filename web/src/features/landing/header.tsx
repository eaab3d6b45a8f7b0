'use client'

import { useEffect, useRef, useState } from 'react'
import { Wordmark } from '@/components/brand/wordmark'
import { paths } from '@/config/paths'
import { readSignedInHint } from '@/lib/hint-cookie'
import { useHydrated } from '@/lib/use-hydrated'
import button from '@/components/button.module.css'
import styles from './header.module.css'

/** Distance in px after which the header becomes translucent. */
const TRANSLUCENT_AFTER = 50

const links = [
  { href: '#features', label: 'Features' },
  { href: paths.blog, label: 'Blog' },
  { href: '#stats', label: 'Stats' },
  { href: '#support', label: 'Support' },
]

/** The landing page's header: anchors, the blog, and for signed-in visitors the way to the profile. */
export function Header() {
  const initial = useHydrated() ? readSignedInHint(document.cookie) : null
  const [scrolled, setScrolled] = useState(false)
  const [menuOpen, setMenuOpen] = useState(false)
  const toggle = useRef<HTMLButtonElement>(null)

  useEffect(() => {
    const look = () => setScrolled(window.scrollY > TRANSLUCENT_AFTER)
    look()
    window.addEventListener('scroll', look, { passive: true })
    return () => window.removeEventListener('scroll', look)
  }, [])

  useEffect(() => {
    if (!menuOpen) return
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      setMenuOpen(false)
      toggle.current?.focus()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [menuOpen])

  return (
    <header
      className={styles.header}
      data-translucent={scrolled}
      data-menu-open={menuOpen}
      onBlur={({ currentTarget, relatedTarget }) => {
        // Whoever walks on by keyboard must not do so behind the open menu.
        if (relatedTarget && !currentTarget.contains(relatedTarget)) setMenuOpen(false)
      }}
    >
      <div className={styles.bar}>
        <Wordmark />
        {initial === null ? <span className={styles.badge}>Coming Soon</span> : null}
        <button
          ref={toggle}
          type="button"
          className={styles.toggle}
          aria-expanded={menuOpen}
          aria-controls="site-menu"
          onClick={() => setMenuOpen((open) => !open)}
        >
          <span className="visually-hidden">Menu</span>
          <span className={styles.bars} aria-hidden="true" />
        </button>
        <nav
          id="site-menu"
          aria-label="Main"
          className={styles.nav}
          onClick={() => setMenuOpen(false)}
        >
          {links.map(({ href, label }) => (
            <a key={href} href={href} className={styles.link}>
              {label}
            </a>
          ))}
          {initial !== null ? (
            <a href={paths.profile} className={styles.link}>
              Profile
            </a>
          ) : null}
          <a href="#join" className={`${button.primary} ${styles.join}`}>
            Join Waitlist
          </a>
        </nav>
        {initial !== null ? (
          <a
            href={paths.profile}
            className={styles.avatar}
            aria-label={`Your profile (${initial})`}
          >
            {initial}
          </a>
        ) : null}
      </div>
    </header>
  )
}
