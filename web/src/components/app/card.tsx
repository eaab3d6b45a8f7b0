import { chakra } from '@chakra-ui/react'

/** A quiet surface: a hairline, no shadow. */
export const Card = chakra('section', {
  base: {
    p: '6',
    bg: 'raised',
    border: '1px solid {colors.line}',
    borderRadius: 'lg',
  },
})
