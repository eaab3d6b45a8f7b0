import { useEffect, useRef } from 'react'
import type { TicketFilter } from '@/lib/api/support-api'
import { useDebouncedSearch } from '../use-debounced-search'
import { useUrlParams } from '../use-url-params'
import { parseView, type TicketView, viewParams } from './ticket-view'

/**
 * What of the tickets is shown, as the address says, and how to change it. Choosing is a step that
 * going back undoes; typing replaces the step it is in, and any change of the filter starts at page 1.
 */
export function useTicketView() {
  const { params, change } = useUrlParams()
  const search = useDebouncedSearch()
  const view = parseView(params)
  /** Whether closing the details can go back to the step before they were opened. */
  const opened = useRef(false)

  const step = (values: Partial<TicketView>) => {
    const typed = search.pending ? { ...search.flush(), page: 1 } : {}
    change(viewParams({ ...view, ...typed, ...values }), { push: true })
  }

  useEffect(() => {
    if (!view.ticket) opened.current = false
  }, [view.ticket])

  return {
    view,
    /** The text of the search box. */
    search: search.text,
    type: search.type,
    filter: (values: Partial<TicketFilter>) => step({ ...values, page: 1 }),
    clear: () => {
      search.cancel()
      step({ status: '', category: '', priority: '', search: '', page: 1 })
    },
    goTo: (page: number) => step({ page }),
    /** The page that was asked for is gone: the address is put right, without a step. */
    correctPage: (page: number) => change({ page: page === 1 ? '' : String(page) }),
    open: (ticket: string) => {
      opened.current = true
      step({ ticket })
    },
    close: () => {
      if (!view.ticket) return
      if (opened.current) window.history.back()
      else change({ ticket: '' })
      opened.current = false
    },
  }
}
