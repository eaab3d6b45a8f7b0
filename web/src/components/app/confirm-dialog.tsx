'use client'

import { Button, chakra, Flex, Heading, Text } from '@chakra-ui/react'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { Alert } from './alert'

interface ConfirmDialogProps {
  open: boolean
  title: string
  children: ReactNode
  /** What the button says that goes ahead, and what it says meanwhile. */
  action: string
  busyAction: string
  busy: boolean
  error: string | null
  /** Whether it takes something away, as most of what is asked about does. */
  hurts?: boolean
  onConfirm: () => void
  onClose: () => void
}

/** Asks before something that cannot be called back. Escape and 'Cancel' leave everything as it is. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { open, title, children, action, busyAction, busy, error, onConfirm, onClose } = props
  const { hurts = true } = props
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const cancel = useRef<HTMLButtonElement>(null)

  useEffect(() => {
    const element = dialog.current
    if (open && !element?.open) {
      element?.showModal()
      // Whoever only presses Enter changes nothing.
      cancel.current?.focus()
    }
    if (!open && element?.open) element.close()
  }, [open])

  return (
    <Frame
      ref={dialog}
      role="alertdialog"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      // What is under way cannot be called back.
      onCancel={(event) => busy && event.preventDefault()}
      onClose={onClose}
    >
      <Flex direction="column" gap="4" p="6">
        <Heading as="h2" id={`${id}-title`} fontSize="xl" overflowWrap="anywhere">
          {title}
        </Heading>
        <Text id={`${id}-text`} color="muted" fontSize="sm">
          {children}
        </Text>
        {error && <Alert>{error}</Alert>}
        <Flex
          direction={{ base: 'column-reverse', sm: 'row' }}
          wrap={{ sm: 'wrap-reverse' }}
          justify="flex-end"
          gap="3"
          mt="2"
        >
          <Button
            ref={cancel}
            variant="outline"
            disabled={busy}
            onClick={() => dialog.current?.close()}
          >
            Cancel
          </Button>
          <Button
            {...(hurts && { bg: 'danger', _hover: { bg: 'danger' } })}
            disabled={busy}
            onClick={onConfirm}
          >
            {busy ? busyAction : action}
          </Button>
        </Flex>
      </Flex>
    </Frame>
  )
}

const Frame = chakra('dialog', {
  base: {
    width: 'min(27rem, calc(100vw - 2rem))',
    m: 'auto',
    p: 0,
    bg: 'raised',
    color: 'ink',
    border: '1px solid {colors.line}',
    borderRadius: 'lg',
    boxShadow: 'lift',
    textAlign: 'start',
    _backdrop: { bg: 'rgb(24 18 12 / 45%)' },
    '&[open]': { animation: 'arrive var(--duration-base) var(--ease-out)' },
  },
})
