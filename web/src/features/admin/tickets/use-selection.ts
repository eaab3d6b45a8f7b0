import { useState } from 'react'
import type { Ticket } from '@/lib/api/types'

/**
 * Which of the shown tickets are selected. A selection is of one page of one filter, named `of`:
 * nothing that cannot be seen is ever changed with it.
 */
export function useSelection(tickets: readonly Ticket[], of: string) {
  const [state, setState] = useState<{ of: string; ids: ReadonlySet<string> }>({
    of,
    ids: new Set(),
  })
  const ids = state.of === of ? state.ids : new Set<string>()
  const selected = tickets.filter((ticket) => ids.has(ticket.id))

  const set = (next: Iterable<string>) => setState({ of, ids: new Set(next) })
  return {
    selected,
    has: (ticket: Ticket) => ids.has(ticket.id),
    toggle: (ticket: Ticket, on = !ids.has(ticket.id)) =>
      set(on ? [...ids, ticket.id] : [...ids].filter((id) => id !== ticket.id)),
    all: tickets.length > 0 && selected.length === tickets.length,
    toggleAll: (on: boolean) => set(on ? tickets.map(({ id }) => id) : []),
    only: set,
    clear: () => set([]),
  }
}

export type Selection = ReturnType<typeof useSelection>
