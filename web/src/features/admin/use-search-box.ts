import { useEffect, useState } from 'react'
import { searchOf } from './parameters'
import { useUrlParams } from './use-url-params'

/** Typing has paused when this long nothing was typed. */
export const SETTLE_MS = 350

/**
 * The search of a list. `text` follows the field at once; `asked` stands in the address and goes to
 * the server, once typing has paused.
 */
export function useSearchBox() {
  const { params, change } = useUrlParams()
  const [draft, setDraft] = useState<string | null>(null)

  useEffect(() => {
    if (draft === null) return
    const timer = setTimeout(() => {
      setDraft(null)
      change({ search: draft })
    }, SETTLE_MS)
    return () => clearTimeout(timer)
  }, [draft, change])

  const search = searchOf(params.get('search') ?? '')
  return {
    text: draft ?? search,
    asked: search.trim(),
    /** Whether what was typed has yet to be asked for. */
    settling: draft !== null,
    type: (text: string) => setDraft(searchOf(text)),
    /** Forgets what was typed since the last pause. */
    reset: () => setDraft(null),
  }
}
