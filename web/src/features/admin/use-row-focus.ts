import { useEffect, useLayoutEffect, useRef } from 'react'

/** Whether nobody has moved on: the focus is still here, or was dropped with what had it. */
function owns(row: HTMLElement): boolean {
  const focused = document.activeElement
  return focused === null || focused === document.body || row.contains(focused)
}

/** Where the focus belongs: the button with this `data-action`, or the row if there is none. */
export interface RowFocus {
  action: string | null
}

/**
 * Keeps the keyboard where it worked. A button that rests or goes away drops the focus: it moves to
 * `wanted` as soon as that is known, and to the neighbouring row when this one leaves the list.
 */
export function useRowFocus(wanted: RowFocus | null) {
  const ref = useRef<HTMLTableRowElement>(null)

  useEffect(() => {
    const row = ref.current
    if (!wanted || !row || !owns(row)) return
    const { action } = wanted
    const button = action && row.querySelector<HTMLElement>(`[data-action='${action}']`)
    ;(button || row).focus()
  }, [wanted])

  useLayoutEffect(() => {
    const row = ref.current
    return () => {
      if (!row?.contains(document.activeElement)) return
      const neighbour = row.nextElementSibling ?? row.previousElementSibling
      if (neighbour instanceof HTMLElement) neighbour.focus()
    }
  }, [])

  return ref
}
