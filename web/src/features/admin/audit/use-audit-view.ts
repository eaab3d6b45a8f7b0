import { useEffect, useState } from 'react'
import { searchOf } from '../search-text'
import { useUrlParams } from '../use-url-params'
import { parseView, type AuditView } from './audit-filter'

/** Typing has paused when this long nothing was typed. */
const SETTLE_MS = 350

/** What of the log is shown, as the address says, and how to change it. */
export function useAuditView() {
  const { params, change } = useUrlParams()
  const view = parseView(params)
  const [draft, setDraft] = useState<string | null>(null)

  useEffect(() => {
    if (draft === null) return
    const timer = setTimeout(() => {
      setDraft(null)
      change({ search: draft })
    }, SETTLE_MS)
    return () => clearTimeout(timer)
  }, [draft, change])

  return {
    view,
    /** The text of the search box. */
    search: draft ?? view.search,
    type: (text: string) => setDraft(searchOf(text)),
    filter: (values: Partial<AuditView>) => change(values, { push: true }),
    clear: () => {
      setDraft(null)
      change({ action: '', search: '', from: '', to: '' }, { push: true })
    },
  }
}
