'use client'

import { chakra, Tooltip as Parts } from '@chakra-ui/react'
import { type ReactElement, useState } from 'react'
import { flushSync } from 'react-dom'

/** Times of a tooltip in milliseconds, and its distance in pixels. */
const OPEN_DELAY = 700
const SKIP_DELAY = 300
const OFFSET = 4

/** When the last tooltip of the page closed; within SKIP_DELAY of that the next one opens without a delay. */
let closedAt = -Infinity

interface TooltipProps {
  /** What the control does. Only visual: the control's accessible name says it, too. */
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
    // Zag reports a close also when the pointer leaves before the tooltip has opened.
    if (open && !next) closedAt = performance.now()
    setOpen(next)
  }

  // The same event starts Zag's delay after the capture phase, so the new delay has to be rendered before.
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
