'use client'

import { Box, chakra, Flex, Heading, Text } from '@chakra-ui/react'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { useToastsInside } from './toast-host'

interface DialogProps {
  open: boolean
  title: ReactNode
  description?: ReactNode
  /** As wide as the text of a form needs, as a page of details, or as things to compare. */
  size?: keyof typeof widths
  onClose: () => void
  children: ReactNode
}

const widths = { form: '34rem', page: '52rem', wide: '66rem' } as const

/** A modal dialog with a title that stays in view; Escape, the cross and the backdrop close it. */
export function Dialog(props: DialogProps) {
  const { open, title, description, size = 'form', onClose, children } = props
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const cross = useRef<HTMLButtonElement>(null)

  useEffect(() => {
    const element = dialog.current
    if (open && !element?.open) {
      element?.showModal()
      // The browser takes the first control. The cross is none that people come for.
      if (document.activeElement === cross.current) heading.current?.focus()
    }
    if (!open && element?.open) element.close()
  }, [open])
  useToastsInside(dialog, open)

  return (
    <Frame
      ref={dialog}
      width={`min(${widths[size]}, calc(100vw - 1.5rem))`}
      aria-labelledby={`${id}-title`}
      aria-describedby={description ? `${id}-description` : undefined}
      onClose={onClose}
      onMouseDown={(event) => event.target === dialog.current && dialog.current?.close()}
    >
      <Flex
        as="header"
        align="flex-start"
        justify="space-between"
        gap="4"
        px="min({spacing.6}, 7vw)"
        pt="5"
        pb="4"
      >
        <Box minW={0}>
          <Heading
            as="h2"
            id={`${id}-title`}
            ref={heading}
            tabIndex={-1}
            outline="none"
            fontSize="xl"
            overflowWrap="anywhere"
          >
            {title}
          </Heading>
          {description && (
            <Text id={`${id}-description`} mt="1" color="muted" fontSize="sm">
              {description}
            </Text>
          )}
        </Box>
        <Close ref={cross} type="button" aria-label="Close" onClick={() => dialog.current?.close()}>
          <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
            <path d="M5 5l14 14M19 5 5 19" stroke="currentColor" strokeWidth="2" fill="none" />
          </svg>
        </Close>
      </Flex>
      {children}
    </Frame>
  )
}

const Frame = chakra('dialog', {
  base: {
    maxH: 'calc(100dvh - 1.5rem)',
    m: 'auto',
    p: 0,
    overflow: 'hidden',
    overscrollBehavior: 'contain',
    bg: 'raised',
    color: 'ink',
    border: '1px solid {colors.line}',
    borderRadius: 'lg',
    boxShadow: 'lift',
    textAlign: 'start',
    _backdrop: { bg: 'rgb(24 18 12 / 45%)' },
    '&[open]': {
      display: 'flex',
      flexDirection: 'column',
      animation: 'arrive var(--duration-base) var(--ease-out)',
    },
  },
})

/** The part of a dialog that scrolls. */
export const DialogBody = chakra('div', {
  base: { flex: '0 1 auto', minH: 0, px: 'min({spacing.6}, 7vw)', pb: '6', overflowY: 'auto' },
})

const Close = chakra('button', {
  base: {
    display: 'grid',
    placeItems: 'center',
    flexShrink: 0,
    boxSize: 'var(--target)',
    mt: '-2',
    me: '-3',
    bg: 'transparent',
    border: 'none',
    borderRadius: 'md',
    color: 'quiet',
    _hover: { color: 'ink' },
  },
})
