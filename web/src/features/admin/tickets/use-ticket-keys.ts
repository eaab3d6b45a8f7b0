import type { RefObject } from 'react'
import type { Ticket } from '@/lib/api/types'
import type { Selection } from '../use-selection'
import type { useCursor } from './use-cursor'
import { useShortcuts } from './use-shortcuts'

interface TicketKeys {
  tickets: readonly Ticket[]
  selection: Selection<Ticket>
  cursor: ReturnType<typeof useCursor>
  searchBox: RefObject<HTMLInputElement | null>
  /** Whether the person wants the keys. */
  on: boolean
  onOpen: (id: string) => void
  onHelp: () => void
}

/** What single keys do to the list of tickets. */
export function useTicketKeys(keys: TicketKeys): void {
  const { tickets, selection, cursor, searchBox, on, onOpen, onHelp } = keys
  const onCurrent = (act: (id: string) => void) => () => {
    const id = cursor.current()
    if (id) act(id)
  }
  useShortcuts(
    {
      '/': () => {
        searchBox.current?.focus()
        searchBox.current?.select()
      },
      j: () => cursor.move(1),
      k: () => cursor.move(-1),
      o: onCurrent(onOpen),
      x: onCurrent((id) => {
        const ticket = tickets.find((candidate) => candidate.id === id)
        if (ticket) selection.toggle(ticket)
      }),
      Escape: selection.clear,
    },
    on,
  )
  // The list of keys is also where they are turned on again.
  useShortcuts({ '?': onHelp }, true)
}
