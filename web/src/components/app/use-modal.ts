import { type RefObject, type SyntheticEvent, useEffect } from 'react'

interface Modal {
  open: boolean
  /** Whether something runs that cannot be cancelled: it stays open. */
  busy: boolean
  onOpened: () => unknown
  onClose: () => void
}

/**
 * Opens and closes a modal `<dialog>` as `open` says, and returns its handlers. Escape asks `onClose`, and the element
 * follows the state: were it the other way round, whoever opens it again at once would be overtaken by the element's
 * `close` event, which comes late.
 */
export function useModal(dialog: RefObject<HTMLDialogElement | null>, modal: Modal) {
  const { open, busy, onOpened, onClose } = modal

  useEffect(() => {
    const element = dialog.current
    if (open && !element?.open) {
      element?.showModal()
      onOpened()
    }
    if (!open && element?.open) element.close()
    // What to do once it is open is not a reason to do it again.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [open])

  return {
    onCancel: (event: SyntheticEvent) => {
      event.preventDefault()
      if (!busy) onClose()
    },
    /** A browser may close it without asking. */
    onClose: () => {
      if (open && !dialog.current?.open) onClose()
    },
  }
}
