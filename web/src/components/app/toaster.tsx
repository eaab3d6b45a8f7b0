'use client'

import { Box, createToaster, Toast, Toaster } from '@chakra-ui/react'
import { useEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import { drawToastsIn } from './toast-host'

/** At most three toasts at once, four seconds each; further ones are queued. */
export const toaster = createToaster({ placement: 'bottom-end', max: 3, duration: 4000, gap: 12 })

/** Removes every toast, queued ones included. */
export function clearToasts(): void {
  toaster.remove()
}

export function Toasts() {
  const [target] = useState(() => document.createElement('div'))

  useEffect(() => {
    drawToastsIn(target)
    return () => {
      drawToastsIn(null)
      target.remove()
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
