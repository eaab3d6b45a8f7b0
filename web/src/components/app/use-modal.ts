import { type KeyboardEvent, type RefObject, type SyntheticEvent, useEffect, useRef } from 'react'

interface Modal {
  open: boolean
  /** Whether it stays open, whatever the person does. */
  stays: boolean
  onOpened: () => unknown
  /** It has been closed, by the person or because `open` says so. */
  onClose: () => void
}

/**
 * Opens and closes a modal `<dialog>` as `open` says. Returns what closes it for the person, and the element's
 * handlers. Whoever closes it is told at once: the element's `close` event comes late, and whoever has opened it
 * again in the meantime would see it close.
 */
export function useModal(dialog: RefObject<HTMLDialogElement | null>, modal: Modal) {
  const { open, stays, onOpened, onClose } = modal
  const told = useRef(false)

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

  const close = () => {
    if (stays || !dialog.current?.open) return
    told.current = true
    dialog.current.close() // the focus goes back before anything else happens
    onClose()
  }
  const handlers = {
    onKeyDown: (event: KeyboardEvent) => {
      // A second Escape closes whatever `cancel` says.
      if (stays && event.key === 'Escape') event.preventDefault()
    },
    // React passes both on from a dialog that is opened in this one.
    onCancel: (event: SyntheticEvent) => {
      if (event.target !== event.currentTarget) return
      event.preventDefault()
      close()
    },
    onClose: (event: SyntheticEvent) => {
      if (event.target !== event.currentTarget) return
      if (open && stays) {
        // That second Escape does not reach the dialog when nothing in it has the focus.
        told.current = false
        if (dialog.current?.open) return // opened again before this was told
        dialog.current?.showModal()
        onOpened()
        return
      }
      if (!told.current) onClose()
      told.current = false
    },
  }
  return { close, handlers }
}
