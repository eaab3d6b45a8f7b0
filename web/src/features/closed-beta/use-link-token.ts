import { type RefObject, useEffect, useRef } from 'react'

/** A ref to the token in the address's fragment, by which the link in an email has led here. */
export function useLinkToken(): RefObject<string> {
  const token = useRef('')
  useEffect(() => {
    const { hash, pathname } = window.location
    if (!hash) return
    token.current = hash.slice(1)
    // The link may be copied from the address, or stay in the history.
    window.history.replaceState(window.history.state, '', pathname)
  }, [])
  return token
}
