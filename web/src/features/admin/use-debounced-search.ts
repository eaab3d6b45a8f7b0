import { useEffect, useState } from 'react'
import { searchOf } from './parameters'
import { useUrlParams } from './use-url-params'

/** Milliseconds without a key after which typing has paused. */
const DEBOUNCE_MS = 350

interface Draft {
  text: string
  /** What the address said when the typing began: a draft is about that search only. */
  over: string
}

/**
 * The search of a list. `text` follows the field at once; `asked` stands in the address and goes to the
 * server, once typing has paused. Another search is another list, which starts at its first page.
 */
export function useDebouncedSearch() {
  const { params, change } = useUrlParams()
  const [draft, setDraft] = useState<Draft | null>(null)
  const asked = searchOf(params.get('search') ?? '')
  // The address follows a moment later than it was told to; until then the draft stands for it.
  if (draft && draft.over !== asked) setDraft(null)
  const typed = draft?.over === asked ? draft.text : null

  useEffect(() => {
    if (typed === null) return
    const timer = setTimeout(() => {
      if (typed === asked) setDraft(null)
      else change({ search: typed, page: '' })
    }, DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [typed, asked, change])

  return {
    text: typed ?? asked,
    asked: asked.trim(),
    /** Whether what was typed has yet to be asked for. */
    pending: typed !== null,
    type: (text: string) => setDraft({ text: searchOf(text), over: asked }),
    /** What has yet to be asked for, to go into the address together with another change. */
    flush: (): { search?: string } => (typed === null ? {} : { search: typed }),
    /** Forgets what has yet to be asked for. */
    cancel: () => setDraft(null),
  }
}
