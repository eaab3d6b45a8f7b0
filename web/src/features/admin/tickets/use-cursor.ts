import { type RefObject, useRef } from 'react'

/**
 * Walks the focus through the tickets of a list. Where the focus was last is remembered, so that
 * walking goes on there after a ticket has left the list or the details were closed.
 */
export function useCursor(list: RefObject<HTMLElement | null>) {
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
    /** Another page starts at its top. */
    reset: () => {
      last.current = -1
    },
    /** The id of the ticket that has the focus, or something in it. */
    current: () => cards()[at()]?.dataset.ticket,
  }
}
