import { useSearchParams } from 'next/navigation'
import { useCallback } from 'react'

/**
 * The query of the address, and a way to change some of it; an empty value removes its parameter.
 * The history entry is replaced: going back leaves the page instead of undoing filters.
 */
export function useUrlParams() {
  const params = useSearchParams()
  const change = useCallback((values: Record<string, string>) => {
    const query = new URLSearchParams(window.location.search)
    for (const [name, value] of Object.entries(values)) {
      if (value) query.set(name, value)
      else query.delete(name)
    }
    const search = query.size > 0 ? `?${query}` : ''
    window.history.replaceState(null, '', window.location.pathname + search)
  }, [])
  return { params, change }
}
