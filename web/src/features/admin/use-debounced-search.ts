import { useEffect, useState } from 'react'
import { searchOf } from './parameters'
import { useUrlParams } from './use-url-params'

/** The debounce: milliseconds without a change after which the server is asked. */
export const DEBOUNCE_MS = 350

interface Draft {
  text: string
  /** The search in the address when typing began; the draft is dropped when that changes. */
  base: string
}

/**
 * The debounced search of a list. `text` follows the field immediately; `debounced` is in the address and goes to the
 * server once typing has paused. A new search starts at the first page.
 */
export function useDebouncedSearch() {
  const { params, change } = useUrlParams()
  const [draft, setDraft] = useState<Draft | null>(null)
  const debounced = searchOf(params.get('search') ?? '')
  // The address is updated with a delay; until then the draft is kept.
  if (draft && draft.base !== debounced) setDraft(null)
  const typed = draft?.base === debounced ? draft.text : null

  useEffect(() => {
    if (typed === null) return
    const apply = () => {
      if (typed === debounced) setDraft(null)
      else change({ search: typed, page: '' })
    }
    // Applied after a link was followed, it would lead back to the list.
    const onClick = ({ target }: MouseEvent) => {
      if (!(target instanceof Element && target.closest('a[href]'))) return
      apply()
      setDraft(null)
    }
    const timer = setTimeout(apply, DEBOUNCE_MS)
    document.addEventListener('click', onClick, true)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('click', onClick, true)
    }
  }, [typed, debounced, change])

  return {
    text: typed ?? debounced,
    debounced: debounced.trim(),
    /** Whether typed text has yet to be applied. */
    pending: typed !== null,
    type: (text: string) => setDraft({ text: searchOf(text), base: debounced }),
    /** The typed text that has yet to be applied, for the address together with another change. */
    flush: (): { search?: string } => (typed === null ? {} : { search: typed }),
    /** Drops typed text that has yet to be applied. */
    cancel: () => setDraft(null),
  }
}
