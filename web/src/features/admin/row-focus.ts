import { useRef } from 'react'
import { useFocusFallback } from '@/lib/use-focus-fallback'

/** When the row unmounts with the focus in it, the focus moves to the next row, or to the one before. */
export function useRowFocus() {
  const row = useRef<HTMLTableRowElement>(null)
  useFocusFallback(row, (part) => part.nextElementSibling ?? part.previousElementSibling)
  return row
}

/** When the part of a cell unmounts with the focus in it, the focus moves to its row. */
export function useCellFocus() {
  const part = useRef<HTMLDivElement>(null)
  useFocusFallback(part, (element) => element.closest('[role=row]'))
  return part
}
