import { useEffect, useState } from 'react'
import type { WaitlistFilter } from '@/lib/api/waitlist-api'
import type { WaitlistStatus } from '@/lib/api/types'
import { searchOf } from '../search-text'
import { useUrlParams } from '../use-url-params'

export const statuses: readonly WaitlistStatus[] = ['pending', 'approved', 'rejected']

const SETTLE_MS = 300

/** A parameter of the address is anybody's text: what is not a status filters nothing. */
export function parseStatus(raw: string | null): WaitlistStatus | '' {
  return statuses.find((status) => status === raw) ?? ''
}

/**
 * The filter of the list. `typed` follows the field at once and narrows the rows at hand; `asked`
 * stands in the address and goes to the server, once typing has paused.
 */
export function useWaitlistFilter() {
  const { params, change } = useUrlParams()
  const status = parseStatus(params.get('status'))
  const search = searchOf(params.get('search') ?? '')
  const [draft, setDraft] = useState<string | null>(null)

  useEffect(() => {
    if (draft === null) return
    const timer = setTimeout(() => {
      change({ search: draft })
      setDraft(null)
    }, SETTLE_MS)
    return () => clearTimeout(timer)
  }, [draft, change])

  const typed: WaitlistFilter = { status, search: draft ?? search }
  const asked: WaitlistFilter = { status, search: search.trim() }
  return {
    typed,
    asked,
    setSearch: (text: string) => setDraft(searchOf(text)),
    setStatus: (chosen: string) => change({ status: parseStatus(chosen) }),
    clear: () => {
      setDraft(null)
      change({ status: '', search: '' })
    },
  }
}
