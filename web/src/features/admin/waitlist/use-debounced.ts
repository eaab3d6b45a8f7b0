import { useEffect, useState } from 'react'
import { DEBOUNCE_MS } from '../use-debounced-search'

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
