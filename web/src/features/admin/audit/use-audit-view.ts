import { useSearchBox } from '../use-search-box'
import { useUrlParams } from '../use-url-params'
import { parseView, type AuditView } from './audit-filter'

/** What of the log is shown, as the address says, and how to change it. */
export function useAuditView() {
  const { params, change } = useUrlParams()
  const search = useSearchBox()
  return {
    view: parseView(params),
    /** The text of the search box. */
    search: search.text,
    type: search.type,
    filter: (values: Partial<AuditView>) => change(values, { push: true }),
    clear: () => {
      search.reset()
      change({ action: '', search: '', from: '', to: '' }, { push: true })
    },
  }
}
