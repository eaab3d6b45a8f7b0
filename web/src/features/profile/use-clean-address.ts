import { useEffect } from 'react'

/** Takes the wish for an upgrade (`?paywall`, `#upgrade`) out of the address: a reload must not repeat it. */
export function useCleanAddress(): void {
  useEffect(() => {
    const address = new URL(window.location.href)
    address.searchParams.delete('paywall')
    if (address.hash === '#upgrade') address.hash = ''
    if (address.href !== window.location.href) {
      window.history.replaceState(null, '', address.pathname + address.search + address.hash)
    }
  }, [])
}
