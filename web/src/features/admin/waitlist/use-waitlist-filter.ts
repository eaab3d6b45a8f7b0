import type { WaitlistFilter } from '@/lib/api/waitlist-api'
import type { WaitlistStatus } from '@/lib/api/types'
import { useSearchBox } from '../use-search-box'
import { useUrlParams } from '../use-url-params'

export const statuses: readonly WaitlistStatus[] = ['pending', 'approved', 'rejected']

/** A parameter of the address is anybody's text: what is not a status filters nothing. */
export function parseStatus(raw: string | null): WaitlistStatus | '' {
  return statuses.find((status) => status === raw) ?? ''
}

/** The filter of the list: `typed` narrows the rows at hand at once, `asked` goes to the server. */
export function useWaitlistFilter() {
  const { params, change } = useUrlParams()
  const status = parseStatus(params.get('status'))
  const search = useSearchBox()
  const typed: WaitlistFilter = { status, search: search.text }
  const asked: WaitlistFilter = { status, search: search.asked }
  return {
    typed,
    asked,
    settling: search.settling,
    setSearch: search.type,
    setStatus: (chosen: string) => change({ status: parseStatus(chosen) }),
    clear: () => {
      search.reset()
      change({ status: '', search: '' })
    },
  }
}
