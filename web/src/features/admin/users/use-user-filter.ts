import type { UserFilter } from '@/lib/api/identity-api'
import { useSearchBox } from '../use-search-box'
import { useUrlParams } from '../use-url-params'
import { parseRole } from './user-filter'

/** The filter of the list: `typed` narrows the rows at hand at once, `asked` goes to the server. */
export function useUserFilter() {
  const { params, change } = useUrlParams()
  const role = parseRole(params.get('role'))
  const search = useSearchBox()
  const typed: UserFilter = { role, search: search.text }
  const asked: UserFilter = { role, search: search.asked }
  return {
    typed,
    asked,
    settling: search.settling,
    setSearch: search.type,
    setRole: (chosen: string) => change({ role: parseRole(chosen) }),
    clear: () => {
      search.reset()
      change({ role: '', search: '' })
    },
  }
}
