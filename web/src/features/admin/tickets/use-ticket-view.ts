import { useEffect, useRef } from 'react'
import type { TicketFilter } from '@/lib/api/support-api'
import { useDebouncedSearch } from '../use-debounced-search'
import { useUrlParams } from '../use-url-params'
import { parseView, type TicketView, viewParams } from './ticket-view'

const noFilter: TicketFilter = {
  status: '',
  category: '',
  priority: '',
  search: '',
  queue: '',
  tag: '',
  sort: '',
}

/**
 * The view of the tickets (filter, page, open ticket), which the address holds, and its setters. Choosing pushes a
 * history entry; typing replaces the current one. Any change of the filter goes to page 1.
 */
export function useTicketView() {
  const { params, change } = useUrlParams()
  const search = useDebouncedSearch()
  const view = parseView(params)
  /** Whether the details were opened from this list, so that closing them can go back in the history. */
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
      step({ ...noFilter, page: 1 })
    },
    goTo: (page: number) => step({ page }),
    /** The requested page does not exist (any more): replaces the history entry. */
    correctPage: (page: number) => change({ page: page === 1 ? '' : String(page) }),
    open: (ticket: string) => {
      opened.current = true
      step({ ticket })
    },
    /** Closes the ticket of this view, and returns whether it was still the open one: answers to it come late. */
    close: (): boolean => {
      const { ticket } = parseView(new URLSearchParams(window.location.search))
      if (!ticket || ticket !== view.ticket) return false
      if (opened.current) window.history.back()
      else change({ ticket: '' })
      opened.current = false
      return true
    },
  }
}
