'use client'

import { chakra, Tooltip } from '@chakra-ui/react'
import type { ReactElement } from 'react'

interface HintProps {
  /** What the control does; its own name says it too, so this is for the eyes only. */
  text: string
  /** The key that does the same. */
  keys?: string
  children: ReactElement
}

/** A tooltip after 700 ms at 4 px (spec section 2, 'Other'), with the key that does the same. */
export function Hint({ text, keys, children }: HintProps) {
  return (
    <Tooltip.Root
      openDelay={700}
      closeDelay={0}
      positioning={{ gutter: 4 }}
      lazyMount
      unmountOnExit
    >
      <Tooltip.Trigger asChild>{children}</Tooltip.Trigger>
      <Tooltip.Positioner>
        <Tooltip.Content>
          {text}
          {keys && <Key>{keys}</Key>}
        </Tooltip.Content>
      </Tooltip.Positioner>
    </Tooltip.Root>
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
