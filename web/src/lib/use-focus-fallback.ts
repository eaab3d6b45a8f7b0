import { type RefObject, useLayoutEffect } from 'react'

/**
 * When the element unmounts while the focus is inside it, moves the focus to what `fallbackOf` returns. Otherwise the
 * browser would reset the focus to the body, and keyboard users would start at the top of the page again.
 */
export function useFocusFallback<Part extends HTMLElement>(
  ref: RefObject<Part | null>,
  fallbackOf: (part: Part) => Element | null | undefined,
): void {
  useLayoutEffect(() => {
    const part = ref.current
    return () => {
      if (!part?.contains(document.activeElement)) return
      const fallback = fallbackOf(part)
      if (fallback instanceof HTMLElement) fallback.focus({ preventScroll: true })
    }
    // Only the clean-up on unmount matters, for which the first `fallbackOf` will do.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [])
}

/** Focuses `fallback` when the focus is lost: with an element that was removed, or in a dialog that is closed. */
export function focusIfLost(fallback: HTMLElement | null): void {
  const active = document.activeElement
  if (active === document.body || active?.closest('dialog:not([open])')) fallback?.focus()
}
