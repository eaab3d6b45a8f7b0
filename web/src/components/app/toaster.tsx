'use client'

import { Box, createToaster, Toast, Toaster } from '@chakra-ui/react'
import { type RefObject, useEffect, useLayoutEffect, useState } from 'react'
import { createPortal } from 'react-dom'

/** Notifications: at most three at once, four seconds each (spec section 9). */
const toaster = createToaster({ placement: 'bottom-end', max: 3, duration: 4000, gap: 12 })

/** Tells the person that something was done. */
export function toastSuccess(title: string, description?: string): void {
  toaster.create({ type: 'success', title, description })
}

/** Tells the person that something failed. */
export function toastError(title: string, description?: string): void {
  toaster.create({ type: 'error', title, description })
}

/** Takes every toast away, those that wait for their turn as well. */
export function clearToasts(): void {
  toaster.remove()
}

/**
 * The element that all toasts are drawn in. A modal dialog covers the page and takes the focus and
 * the voice of everything outside itself, so the element moves into the dialog that is open.
 */
let region: HTMLElement | null = null
const hosts: HTMLElement[] = []

function settle(): void {
  const host = hosts.at(-1) ?? document.body
  if (region && region.parentElement !== host) host.append(region)
}

/** Shows toasts inside a modal dialog while it is open. */
export function useToastsInside(dialog: RefObject<HTMLDialogElement | null>, open: boolean): void {
  useLayoutEffect(() => {
    const host = dialog.current
    if (!open || !host) return
    hosts.push(host)
    settle()
    return () => {
      hosts.splice(hosts.indexOf(host), 1)
      settle()
    }
  }, [dialog, open])
}

export function Toasts() {
  const [target] = useState(() => document.createElement('div'))

  useEffect(() => {
    region = target
    settle()
    return () => {
      target.remove()
      region = null
    }
  }, [target])

  return createPortal(
    <Toaster toaster={toaster} insetInline="1rem">
      {(toast) => (
        <Toast.Root>
          <Box minW={0} overflowWrap="anywhere">
            <Toast.Title>{toast.title}</Toast.Title>
            {toast.description && <Toast.Description>{toast.description}</Toast.Description>}
          </Box>
          <Toast.CloseTrigger aria-label="Dismiss" />
        </Toast.Root>
      )}
    </Toaster>,
    target,
  )
}
