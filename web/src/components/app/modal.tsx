'use client'

import { Box, chakra, Flex, Heading } from '@chakra-ui/react'
import { type ReactNode, type RefObject, useEffect, useId, useRef } from 'react'

interface ModalProps {
  title: string
  children: ReactNode
  /** How wide it may become; narrow windows leave it a margin. */
  width?: string
  /** Called once it is closed, by whichever way. */
  onClose: () => void
  /** For a button inside that closes it. */
  ref?: RefObject<HTMLDialogElement | null>
}

/**
 * A dialog over the page, open for as long as it is mounted. Escape, the backdrop and its button
 * close it; the focus goes to its title, and back to what opened it.
 */
export function Modal({ title, children, width = '34rem', onClose, ref }: ModalProps) {
  const id = useId()
  const own = useRef<HTMLDialogElement>(null)
  const dialog = ref ?? own
  const heading = useRef<HTMLHeadingElement>(null)

  useEffect(() => {
    const element = dialog.current
    if (element?.open) return
    element?.showModal()
    heading.current?.focus()
  }, [dialog])

  return (
    <Frame
      ref={dialog}
      aria-labelledby={id}
      style={{ width: `min(${width}, calc(100vw - 2rem))` }}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && dialog.current.close()}
    >
      <Flex align="flex-start" justify="space-between" gap="4" px="var(--pad)" pt="var(--pad)">
        <Heading as="h2" id={id} ref={heading} tabIndex={-1} outline="none" fontSize="xl">
          {title}
        </Heading>
        <Close type="button" aria-label="Close" onClick={() => dialog.current?.close()}>
          <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
            <path d="M5 5l14 14M19 5 5 19" stroke="currentColor" strokeWidth="2" fill="none" />
          </svg>
        </Close>
      </Flex>
      <Box px="var(--pad)" pb="var(--pad)" pt="3">
        {children}
      </Box>
    </Frame>
  )
}

const Frame = chakra('dialog', {
  base: {
    '--pad': { base: '1.25rem', md: '2rem' },
    maxW: 'none',
    maxH: 'calc(100dvh - 2rem)',
    m: 'auto',
    p: 0,
    overflowY: 'auto',
    overscrollBehavior: 'contain',
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

const Close = chakra('button', {
  base: {
    display: 'grid',
    placeItems: 'center',
    flexShrink: 0,
    boxSize: 'var(--target)',
    m: '-2',
    p: 0,
    bg: 'transparent',
    color: 'muted',
    border: 'none',
    borderRadius: 'md',
    _hover: { bg: 'sunk', color: 'ink' },
  },
})
