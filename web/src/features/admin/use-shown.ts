import { type RefObject, useEffect, useRef } from 'react'

/** A ref to whether the component is still shown, for what ends later: another tab of the dashboard may be. */
export function useShown(): RefObject<boolean> {
  const shown = useRef(false)
  useEffect(() => {
    shown.current = true
    return () => void (shown.current = false)
  }, [])
  return shown
}
