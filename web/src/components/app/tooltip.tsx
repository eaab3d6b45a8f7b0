'use client'

import { chakra, Tooltip as Parts } from '@chakra-ui/react'
import { type ReactElement, useState } from 'react'
import { flushSync } from 'react-dom'

/** Times of a tooltip in milliseconds, and its distance in pixels. */
const OPEN_DELAY = 700
const SKIP_DELAY = 300
const OFFSET = 4

/** When the last tooltip of the page closed; soon after that the next one opens at once. */
let closedAt = -Infinity

interface TooltipProps {
  /** What the control does; its own name says it too, so this is for the eyes only. */
  text: string
  /** The key that does the same. */
  keys?: string
  children: ReactElement
}

/** A tooltip, with the key that does the same. */
export function Tooltip({ text, keys, children }: TooltipProps) {
  const [delay, setDelay] = useState(OPEN_DELAY)
  const [open, setOpen] = useState(false)

  const change = (next: boolean) => {
    // Leaving before the delay is over tells of a closing that nobody saw.
    if (open && !next) closedAt = performance.now()
    setOpen(next)
  }

  // The pointer's very event starts the delay, after its capture.
  const enter = () =>
    flushSync(() => setDelay(performance.now() - closedAt < SKIP_DELAY ? 0 : OPEN_DELAY))

  return (
    <Parts.Root
      openDelay={delay}
      closeDelay={0}
      positioning={{ gutter: OFFSET }}
      onOpenChange={(details) => change(details.open)}
      lazyMount
      unmountOnExit
    >
      <Parts.Trigger asChild onPointerOverCapture={enter}>
        {children}
      </Parts.Trigger>
      <Parts.Positioner>
        <Parts.Content>
          {text}
          {keys && <Key>{keys}</Key>}
        </Parts.Content>
      </Parts.Positioner>
    </Parts.Root>
  )
}

/** A key of the keyboard. */
export const Key = chakra('kbd', {
  base: {
    display: 'inline-block',
    minW: '1.5rem',
    px: '1',
    border: '1px solid {colors.line-strong}',
    borderRadius: 'sm',
    bg: 'paper',
    color: 'ink',
    fontSize: '0.75rem',
    lineHeight: '1.4rem',
    textAlign: 'center',
  },
})
