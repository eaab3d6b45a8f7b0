'use client'

import { type ComponentProps, type MouseEvent, type ReactNode, useId, useRef } from 'react'
import styles from './dialog.module.css'
import { useToastsInside } from './toast-host'
import { useModal } from './use-modal'

interface DialogProps {
  open: boolean
  title: ReactNode
  description?: ReactNode
  /** As wide as a choice needs, as the text of a form, as a page of details, or as things to compare. */
  size?: 'slim' | 'form' | 'page' | 'wide'
  /** Whether something runs that cannot be cancelled: the dialog stays open. */
  busy?: boolean
  /** Whether only a button in it closes it, as it shows what is not shown again. */
  insistent?: boolean
  onClose: () => void
  children: ReactNode
}

/**
 * A modal dialog with a title that stays in view; Escape, the cross and the backdrop close it, unless it is `busy` or
 * `insistent`. The focus trap is the browser's own (`showModal`).
 */
export function Dialog(props: DialogProps) {
  const { open, title, description, size = 'form', onClose, children } = props
  const { busy = false, insistent = false } = props
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const cross = useRef<HTMLButtonElement>(null)

  const { close, handlers } = useModal(dialog, {
    open,
    stays: busy || insistent,
    onClose,
    // The browser focuses the first control; if that is the cross, the heading is the better start.
    onOpened: () => document.activeElement === cross.current && heading.current?.focus(),
  })
  useToastsInside(dialog, open)

  return (
    <dialog
      ref={dialog}
      className={`${styles.frame} ${styles.dialog} ${styles[size]}`}
      aria-labelledby={`${id}-title`}
      aria-describedby={description ? `${id}-description` : undefined}
      onMouseDown={(event) => isBeside(event, dialog.current) && close()}
      {...handlers}
    >
      <header className={styles.head}>
        <h2 id={`${id}-title`} ref={heading} tabIndex={-1} className={styles.title}>
          {title}
        </h2>
        {description && (
          <p id={`${id}-description`} className={styles.description}>
            {description}
          </p>
        )}
        {!insistent && (
          <button
            ref={cross}
            type="button"
            aria-label="Close"
            aria-disabled={busy || undefined}
            className={styles.close}
            data-event="close_dialog"
            onClick={close}
          >
            <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
              <path d="M5 5l14 14M19 5 5 19" stroke="currentColor" strokeWidth="2" fill="none" />
            </svg>
          </button>
        )}
      </header>
      {children}
    </dialog>
  )
}

/** Whether a press meets the backdrop, which is the dialog's own as its scrollbar is. */
function isBeside(event: MouseEvent, dialog: HTMLElement | null): boolean {
  if (!dialog || event.target !== dialog) return false
  const { clientX: x, clientY: y } = event
  const { left, right, top, bottom } = dialog.getBoundingClientRect()
  return x < left || x >= right || y < top || y >= bottom
}

interface DialogBodyProps {
  className?: string
  children: ReactNode
}

/** The part of a dialog that scrolls. */
export function DialogBody({ className = '', children }: DialogBodyProps) {
  return <div className={`${styles.body} ${className}`}>{children}</div>
}

/** A form that is the whole of a dialog's body. */
export function DialogForm(props: ComponentProps<'form'>) {
  return <form className={styles.body} {...props} />
}
