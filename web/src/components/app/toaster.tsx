'use client'

import { Box, createToaster, Toast, Toaster } from '@chakra-ui/react'

/** Notifications: at most three at once, four seconds each (spec section 9). */
const toaster = createToaster({ placement: 'bottom-end', max: 3, duration: 4000, gap: 12 })

/** Tells the person that something was done. */
export function toastSuccess(title: string): void {
  toaster.create({ type: 'success', title })
}

/** Tells the person that something failed. */
export function toastError(title: string): void {
  toaster.create({ type: 'error', title })
}

/** Takes every toast away, those that wait for their turn as well. */
export function clearToasts(): void {
  toaster.remove()
}

export function Toasts() {
  return (
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
    </Toaster>
  )
}
