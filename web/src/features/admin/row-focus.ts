import { useRef } from 'react'
import { useFocusHeir } from '@/lib/use-focus-heir'

/** A row that leaves its list hands the focus to the next one, or to the one before. */
export function useRowHeir() {
  const row = useRef<HTMLTableRowElement>(null)
  useFocusHeir(row, (part) => part.nextElementSibling ?? part.previousElementSibling)
  return row
}

/** What goes away in a row hands the focus to the row. */
export function useCellHeir() {
  const part = useRef<HTMLDivElement>(null)
  useFocusHeir(part, (element) => element.closest('[role=row]'))
  return part
}
