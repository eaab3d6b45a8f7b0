import { useEffect, useState } from 'react'

/** How long nobody has typed before the server is asked. */
const PAUSE_MS = 350

/** The value once it has not changed for a moment, and whether that is what it is now. */
export function useSettled<Value>(value: Value) {
  const [held, setHeld] = useState(value)
  const text = JSON.stringify(value)
  const settled = JSON.stringify(held) === text
  useEffect(() => {
    const timer = setTimeout(() => setHeld(JSON.parse(text) as Value), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return { value: held, settled }
}
