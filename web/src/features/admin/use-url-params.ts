import { useSearchParams } from 'next/navigation'
import { useCallback } from 'react'

interface ChangeOptions {
  /** Pushes a history entry, which 'back' undoes; otherwise the current one is replaced. */
  push?: boolean
  /** The other parameters to keep; all of them by default. */
  keep?: readonly string[]
}

/** Where the page is with a changed query; an empty value removes its parameter. */
function changed(values: Readonly<Record<string, string>>, keep?: readonly string[]): string {
  const query = new URLSearchParams(window.location.search)
  for (const name of [...query.keys()]) {
    if (keep && !keep.includes(name)) query.delete(name)
  }
  for (const [name, value] of Object.entries(values)) {
    if (value) query.set(name, value)
    else query.delete(name)
  }
  const search = query.toString()
  return window.location.pathname + (search && `?${search}`)
}

/** The query of the address, and a way to change some of it. An empty value removes its parameter. */
export function useUrlParams() {
  const params = useSearchParams()
  const change = useCallback(
    (values: Readonly<Record<string, string>>, { push = false, keep }: ChangeOptions = {}) => {
      const address = changed(values, keep)
      if (address === window.location.pathname + window.location.search) return
      if (push) window.history.pushState(null, '', address)
      else window.history.replaceState(null, '', address)
    },
    [],
  )
  return { params, change }
}
