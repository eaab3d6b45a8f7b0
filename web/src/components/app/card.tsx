import { chakra } from '@chakra-ui/react'

/** A quiet surface: a hairline, no shadow. */
export const Card = chakra('section', {
  base: {
    // Large text on a narrow screen needs the room more.
    py: '6',
    px: 'min({spacing.6}, 7vw)',
    bg: 'raised',
    border: '1px solid {colors.line}',
    borderRadius: 'lg',
  },
})
