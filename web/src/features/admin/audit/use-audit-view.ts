import { useDebouncedSearch } from '../use-debounced-search'
import { useUrlParams } from '../use-url-params'
import { type AuditView, parseView } from './audit-filter'

/** The view of the log, which the address holds, and its setters. */
export function useAuditView() {
  const { params, change } = useUrlParams()
  const search = useDebouncedSearch()
  const filter = (values: Partial<AuditView>) =>
    change({ ...search.flush(), ...values }, { push: true })
  return {
    view: parseView(params),
    search: search.text,
    type: search.type,
    filter,
    clear: () => {
      search.cancel()
      filter({ action: '', search: '', from: '', to: '' })
    },
  }
}
