import { type RefObject, useRef } from 'react'

/**
 * Keyboard navigation: moves the focus through the tickets of a list. The last position is kept, so that navigation
 * continues there after a ticket has left the list or the details were closed.
 */
export function useListNavigation(list: RefObject<HTMLElement | null>) {
  const last = useRef(-1)

  const cards = () => [...(list.current?.querySelectorAll<HTMLElement>('[data-ticket]') ?? [])]
  const at = () => {
    const index = cards().findIndex((card) => card.contains(document.activeElement))
    if (index >= 0) last.current = index
    return index
  }
  return {
    move: (step: 1 | -1) => {
      const all = cards()
      const now = at()
      const from = now >= 0 ? now + step : Math.max(last.current, 0)
      const index = Math.min(Math.max(from, 0), all.length - 1)
      last.current = index
      all[index]?.focus()
    },
    /** For another page, which starts at its top. */
    reset: () => {
      last.current = -1
    },
    /** The id of the ticket with the focus in it. */
    current: () => cards()[at()]?.dataset.ticket,
  }
}
