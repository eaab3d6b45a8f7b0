import { useEffect } from 'react'

/**
 * Calls `restored` when the browser shows the page again as it was left, such as after going back
 * from a sign-in provider: whatever waited for the page to go away waits in vain.
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
