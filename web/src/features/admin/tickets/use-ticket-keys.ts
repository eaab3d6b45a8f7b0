import type { RefObject } from 'react'
import type { Ticket } from '@/lib/api/types'
import type { Selection } from '../use-selection'
import type { useListNavigation } from './use-list-navigation'
import { useShortcuts } from './use-shortcuts'

interface TicketKeys {
  tickets: readonly Ticket[]
  selection: Selection<Ticket>
  navigation: ReturnType<typeof useListNavigation>
  searchBox: RefObject<HTMLInputElement | null>
  /** Whether the person has the shortcuts turned on. */
  on: boolean
  onOpen: (id: string) => void
  onHelp: () => void
}

/** The keyboard shortcuts of the ticket list. */
export function useTicketKeys(keys: TicketKeys): void {
  const { tickets, selection, navigation, searchBox, on, onOpen, onHelp } = keys
  const onCurrent = (act: (id: string) => void) => () => {
    const id = navigation.current()
    if (id) act(id)
  }
  useShortcuts(
    {
      '/': () => {
        searchBox.current?.focus()
        searchBox.current?.select()
      },
      j: () => navigation.move(1),
      k: () => navigation.move(-1),
      o: onCurrent(onOpen),
      x: onCurrent((id) => {
        const ticket = tickets.find((candidate) => candidate.id === id)
        if (ticket) selection.toggle(ticket)
      }),
      Escape: selection.clear,
    },
    on,
  )
  // The help is also where the shortcuts are turned on again.
  useShortcuts({ '?': onHelp }, true)
}
