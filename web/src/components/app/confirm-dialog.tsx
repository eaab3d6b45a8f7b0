'use client'

import { type ReactNode, useId, useRef } from 'react'
import { Button } from '../button'
import { Alert } from './alert'
import styles from './confirm-dialog.module.css'
import frame from './dialog.module.css'
import { useModal } from './use-modal'

interface ConfirmDialogProps {
  open: boolean
  title: string
  children: ReactNode
  /** The label of the button that confirms. */
  action: string
  /** For an action during which the dialog stays open: the label while it runs, and why it failed. */
  busyAction?: string
  busy?: boolean
  error?: string | null
  /** Whether the action removes or ends something. */
  destructive?: boolean
  onConfirm: () => void
  onClose: () => void
}

/** Asks for confirmation of something that cannot be undone. Escape and 'Cancel' change nothing. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { open, title, children, action, onConfirm, onClose } = props
  const { busyAction = '', busy = false, error = null, destructive = true } = props
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const cancel = useRef<HTMLButtonElement>(null)

  const { close, handlers } = useModal(dialog, {
    open,
    stays: busy,
    onClose,
    // The safe default: Enter cancels.
    onOpened: () => cancel.current?.focus(),
  })

  return (
    <dialog
      ref={dialog}
      role="alertdialog"
      className={`${frame.frame} ${styles.dialog}`}
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      {...handlers}
    >
      <div className={styles.content}>
        <h2 id={`${id}-title`} className={styles.title}>
          {title}
        </h2>
        <p id={`${id}-text`} className={styles.text}>
          {children}
        </p>
        {error && <Alert problem="action_failed">{error}</Alert>}
        <div className={styles.actions}>
          <Button
            ref={cancel}
            variant="secondary"
            aria-disabled={busy}
            data-event="cancel"
            onClick={close}
          >
            Cancel
          </Button>
          <Button
            className={destructive ? styles.destructive : ''}
            pending={busy}
            data-event="confirm"
            onClick={onConfirm}
          >
            {busy ? busyAction : action}
          </Button>
        </div>
      </div>
    </dialog>
  )
}
