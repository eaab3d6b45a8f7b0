import { useRef } from 'react'

/**
 * Keys by which the server knows a second try: the same for the same content until it has been
 * taken, so that a message whose answer was lost is not filed twice.
 */
export function useRetryKey() {
  const last = useRef<{ content: string; key: string }>(null)
  return {
    keyFor: (...parts: string[]): string => {
      const content = JSON.stringify(parts)
      if (last.current?.content !== content) {
        last.current = { content, key: crypto.randomUUID() }
      }
      return last.current.key
    },
    taken: () => {
      last.current = null
    },
  }
}
