import { useCallback, useEffect, useState } from 'react'
import { useOpenInvitationMutation } from '@/lib/api/my-waitlist-api'
import { signInObstacle } from '@/lib/in-app-browser'
import { expiringItem } from '@/lib/storage'

/**
 * The secret of the invitation whose link was opened in this tab: the approval email leads to `/closed-beta#claim=…`.
 * A sign-in comes back to the bare page, so the tab keeps the secret for an hour; the email keeps it for longer.
 */
const item = expiringItem('fledge_invitation', 60 * 60_000)

const PREFIX = '#claim='

/** What people do on a page. Screen readers and voice control may press a button by the click alone. */
const acts = ['pointerdown', 'keydown', 'click'] as const

/**
 * Moves the claim out of the address, which may be copied or stay in the history. It stays where nobody can sign in, and
 * the address is copied into another browser for that.
 */
function takeFromAddress(): string | null {
  const { hash, pathname, search } = window.location
  if (!hash.startsWith(PREFIX)) return null
  if (!signInObstacle()) window.history.replaceState(window.history.state, '', pathname + search)
  return hash.slice(PREFIX.length)
}

/** The claim that this tab has, null without one, and what forgets it. */
export function useClaim(): { claim: string | null; dropClaim: () => void } {
  const [claim, setClaim] = useState<string | null>(null)
  const [untold, setUntold] = useState<string | null>(null)
  const [tellOpened] = useOpenInvitationMutation()

  useEffect(() => {
    const read = () => {
      const taken = takeFromAddress()
      if (taken !== null) {
        item.set(taken)
        setUntold(taken)
      }
      const kept = taken ?? item.get()
      if (typeof kept === 'string') setClaim(kept)
    }
    read()
    // A link that is opened where the page is open already changes only the fragment.
    window.addEventListener('hashchange', read)
    return () => window.removeEventListener('hashchange', read)
  }, [])

  // Mail scanners load the page, too, and run its scripts: only what is done on it shows that a person has come.
  useEffect(() => {
    if (untold === null) return
    const waiting = new AbortController()
    const tell = () => {
      waiting.abort()
      setUntold(null)
      void tellOpened(untold)
    }
    for (const act of acts) {
      window.addEventListener(act, tell, { capture: true, signal: waiting.signal })
    }
    return () => waiting.abort()
  }, [untold, tellOpened])

  const dropClaim = useCallback(() => {
    item.remove()
    setClaim(null)
  }, [])
  return { claim, dropClaim }
}
