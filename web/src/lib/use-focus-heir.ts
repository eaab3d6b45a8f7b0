import { type RefObject, useLayoutEffect } from 'react'

/**
 * When the element goes away while the focus is in it, as a button does with its purpose, the focus moves to
 * what `heirOf` returns. Without that it would be dropped, and the keyboard would start at the top again.
 */
export function useFocusHeir<Part extends HTMLElement>(
  ref: RefObject<Part | null>,
  heirOf: (part: Part) => Element | null | undefined,
): void {
  useLayoutEffect(() => {
    const part = ref.current
    return () => {
      if (!part?.contains(document.activeElement)) return
      const heir = heirOf(part)
      if (heir instanceof HTMLElement) heir.focus({ preventScroll: true })
    }
    // What the first rendering brought stands for all: only the end counts.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [])
}
