import { useEffect, useState } from 'react'

/** A UUID: other fragments lead to a place on the page. */
const TOKEN = /^#[0-9a-f-]{36}$/i

/** The token in the address's fragment, by which the link in an email has led here; empty without one. */
export function useLinkToken(): string {
  const [token, setToken] = useState('')
  useEffect(() => {
    const take = () => {
      const { hash, pathname } = window.location
      if (!TOKEN.test(hash)) return
      setToken(hash.slice(1))
      // The link may be copied from the address, or stay in the history.
      window.history.replaceState(window.history.state, '', pathname)
    }
    take()
    // A link that is opened where the page is open already changes only the fragment.
    window.addEventListener('hashchange', take)
    return () => window.removeEventListener('hashchange', take)
  }, [])
  return token
}
