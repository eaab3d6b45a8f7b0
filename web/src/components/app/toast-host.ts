import { type RefObject, useLayoutEffect } from 'react'

/**
 * The element that all toasts are rendered in. A modal dialog makes everything outside it inert, so the element moves
 * into the dialog that is open.
 */
let region: HTMLElement | null = null
const hosts: HTMLElement[] = []

function moveRegion(): void {
  const host = hosts.at(-1) ?? document.body
  if (region && region.parentElement !== host) host.append(region)
}

/** Renders toasts in `element`, or nowhere. */
export function drawToastsIn(element: HTMLElement | null): void {
  region = element
  moveRegion()
}

/** Shows toasts inside a modal dialog while it is open. */
export function useToastsInside(dialog: RefObject<HTMLDialogElement | null>, open: boolean): void {
  useLayoutEffect(() => {
    const host = dialog.current
    if (!open || !host) return
    hosts.push(host)
    moveRegion()
    return () => {
      hosts.splice(hosts.indexOf(host), 1)
      moveRegion()
    }
  }, [dialog, open])
}
