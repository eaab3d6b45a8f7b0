import { useEffect } from 'react'

/**
 * Calls `restored` when the page comes back from the back/forward cache, such as from a sign-in provider. It is as it
 * was left, so a state such as 'Redirecting…' has to be reset.
 */
export function usePageRestored(restored: () => void): void {
  useEffect(() => {
    const onShow = ({ persisted }: PageTransitionEvent) => {
      if (persisted) restored()
    }
    window.addEventListener('pageshow', onShow)
    return () => window.removeEventListener('pageshow', onShow)
  }, [restored])
}
