import { useCallback, useEffect, useState } from 'react'
import { expiringItem } from '@/lib/storage'

/** A UUID: other fragments lead to a place on the page. */
const TOKEN = /^#[0-9a-f-]{36}$/i

const HOUR_MS = 60 * 60_000

export interface LinkToken {
  /** `undefined` until the page knows its address; null when no link has led here. */
  token: string | null | undefined
  /** Whether a token has served that led to this page, loaded anew since. */
  done: boolean
  /** Forgets the token, which has served, but not that it has. */
  drop: () => void
}

/**
 * The token in the address's fragment, by which the link in an email has led to the page `name`. The tab keeps it for an
 * hour: the page may be loaded again before the person answers. After the answer it keeps for as long that there was
 * one.
 */
export function useLinkToken(name: string): LinkToken {
  const [item] = useState(() => expiringItem(`fledge_link_${name}`, HOUR_MS))
  const [token, setToken] = useState<string | null>()
  const [done, setDone] = useState(false)
  useEffect(() => {
    const take = () => {
      const { hash, pathname } = window.location
      const taken = TOKEN.test(hash) ? hash.slice(1) : null
      if (taken) {
        item.set(taken)
        // The link may be copied from the address, or stay in the history.
        window.history.replaceState(window.history.state, '', pathname)
      }
      const kept = taken ?? item.get()
      setToken((before) => (typeof kept === 'string' ? kept : (before ?? null)))
      setDone((kept as { done?: unknown } | null)?.done === true)
    }
    take()
    // A link that is opened where the page is open already changes only the fragment.
    window.addEventListener('hashchange', take)
    return () => window.removeEventListener('hashchange', take)
  }, [item])
  const drop = useCallback(() => item.set({ done: true }), [item])
  return { token, done, drop }
}
