import { useEffect, useRef, useState } from 'react'
import type { TicketFilter } from '@/lib/api/support-api'
import { searchOf } from '../parameters'
import { SETTLE_MS } from '../use-search-box'
import { useUrlParams } from '../use-url-params'
import { parseView, type TicketView, viewParams } from './ticket-view'

interface Draft {
  text: string
  /** What the address said when the typing began: a draft is about that search only. */
  over: string
}

/**
 * What of the tickets is shown, as the address says, and how to change it. Choosing is a step that
 * going back undoes; typing replaces the step it is in, and any change of the filter starts at page 1.
 */
export function useTicketView() {
  const { params, change } = useUrlParams()
  const view = parseView(params)
  const [draft, setDraft] = useState<Draft | null>(null)
  const typing = draft?.over === view.search ? draft.text : null
  /** Whether closing the details can go back to the step before they were opened. */
  const opened = useRef(false)

  const set = (values: Partial<TicketView>, push: boolean) => {
    const pending = typing === null ? {} : { search: typing, page: 1 }
    setDraft(null)
    change(viewParams({ ...view, ...pending, ...values }), { push })
  }

  useEffect(() => {
    if (typing === null) return
    const timer = setTimeout(() => {
      setDraft(null)
      if (typing !== view.search) change({ search: typing, page: '' })
    }, SETTLE_MS)
    return () => clearTimeout(timer)
  }, [typing, view.search, change])

  useEffect(() => {
    if (!view.ticket) opened.current = false
  }, [view.ticket])

  return {
    view,
    /** The text of the search box. */
    search: typing ?? view.search,
    type: (text: string) => setDraft({ text: searchOf(text), over: view.search }),
    filter: (values: Partial<TicketFilter>) => set({ ...values, page: 1 }, true),
    clear: () => set({ status: '', category: '', priority: '', search: '', page: 1 }, true),
    goTo: (page: number) => set({ page }, true),
    /** The page that was asked for is gone: the address is put right, without a step. */
    correctPage: (page: number) => change({ page: page === 1 ? '' : String(page) }),
    open: (ticket: string) => {
      opened.current = true
      set({ ticket }, true)
    },
    close: () => {
      if (!view.ticket) return
      if (opened.current) window.history.back()
      else change({ ticket: '' })
      opened.current = false
    },
  }
}
