'use client'

import { useEffect, useRef, useState, useSyncExternalStore, type MouseEvent } from 'react'
import { Wordmark } from '@/components/brand/wordmark'
import { paths } from '@/config/paths'
import { readSignedInHint } from '@/lib/hint-cookie'
import button from '@/components/button.module.css'
import { goToNearestForm } from './nearest-form'
import styles from './header.module.css'

/** Distance in px after which the header becomes translucent. */
const TRANSLUCENT_AFTER = 50

const links = [
  { href: '#features', label: 'Features' },
  { href: paths.blog, label: 'Blog' },
  { href: '#stats', label: 'Stats' },
  { href: '#support', label: 'Support' },
]

/** Whether the page has been scrolled further than `distance`. */
function useScrolledPast(distance: number): boolean {
  const [past, setPast] = useState(false)
  useEffect(() => {
    const look = () => setPast(window.scrollY > distance)
    look()
    window.addEventListener('scroll', look, { passive: true })
    return () => window.removeEventListener('scroll', look)
  }, [distance])
  return past
}

/** When the page is shown again: from the back/forward cache, from another tab, from another window. */
function onReturn(look: () => void): () => void {
  window.addEventListener('pageshow', look)
  window.addEventListener('focus', look)
  document.addEventListener('visibilitychange', look)
  return () => {
    window.removeEventListener('pageshow', look)
    window.removeEventListener('focus', look)
    document.removeEventListener('visibilitychange', look)
  }
}

/** The signed-in visitor's initial; null for a stranger, and in exported markup. */
const useInitial = () =>
  useSyncExternalStore(
    onReturn,
    () => readSignedInHint(document.cookie),
    () => null,
  )

/** The menu of narrow screens; a tap outside closes it, and Escape, which gives its button the focus. */
function useMenu() {
  const [open, setOpen] = useState(false)
  const header = useRef<HTMLElement>(null)
  const toggle = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!open) return
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      setOpen(false)
      toggle.current?.focus()
    }
    const onPress = ({ target }: PointerEvent) => {
      if (!header.current?.contains(target as Node)) setOpen(false)
    }
    document.addEventListener('keydown', onKey)
    document.addEventListener('pointerdown', onPress)
    return () => {
      document.removeEventListener('keydown', onKey)
      document.removeEventListener('pointerdown', onPress)
    }
  }, [open])
  return { open, setOpen, header, toggle }
}

/** The landing page's header: anchors, the blog, and for signed-in visitors the way to the profile. */
export function Header() {
  const initial = useInitial()
  const scrolled = useScrolledPast(TRANSLUCENT_AFTER)
  const { open, setOpen, header, toggle } = useMenu()
  const join = (event: MouseEvent) => {
    // Whoever opens a link in another tab has it.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    if (goToNearestForm()) event.preventDefault()
  }

  return (
    <header
      ref={header}
      className={styles.header}
      data-translucent={scrolled}
      data-menu-open={open}
      onBlur={({ currentTarget, relatedTarget }) => {
        // Whoever walks on by keyboard must not do so behind the open menu.
        if (relatedTarget && !currentTarget.contains(relatedTarget)) setOpen(false)
      }}
    >
      <div className={styles.bar}>
        <Wordmark />
        {initial === null ? <span className={styles.badge}>Coming Soon</span> : null}
        <button
          ref={toggle}
          type="button"
          className={styles.toggle}
          aria-expanded={open}
          aria-controls="site-menu"
          data-event="toggle_menu"
          onClick={() => setOpen(!open)}
        >
          <span className="visually-hidden">Menu</span>
          <span className={styles.bars} aria-hidden="true" />
        </button>
        <nav id="site-menu" aria-label="Main" className={styles.nav} onClick={() => setOpen(false)}>
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
          <a
            href="#join"
            className={`${button.primary} ${styles.join}`}
            data-event="go_to_waitlist"
            onClick={join}
          >
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
