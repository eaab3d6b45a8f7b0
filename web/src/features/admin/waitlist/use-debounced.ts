import { useEffect, useState } from 'react'

/** The debounce: milliseconds without a change after which the server is asked. */
const DEBOUNCE_MS = 350

/** A value debounced; `pending` while it differs from the current one. */
export function useDebounced<Value>(value: Value) {
  const [debounced, setDebounced] = useState(value)
  const text = JSON.stringify(value)
  const pending = JSON.stringify(debounced) !== text
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(JSON.parse(text) as Value), DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return { debounced, pending }
}
