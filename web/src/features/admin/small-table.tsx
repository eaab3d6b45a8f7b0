import { chakra } from '@chakra-ui/react'

/** The head of a column in a table of a dialog. */
export const Heading = chakra(
  'th',
  {
    base: {
      px: '2',
      py: '2',
      textAlign: 'start',
      color: 'quiet',
      fontSize: 'xs',
      fontWeight: 600,
    },
  },
  { defaultProps: { scope: 'col' } },
)

export const Cell = chakra('td', {
  base: { px: '2', py: '2', verticalAlign: 'top', borderTop: '1px solid {colors.line}' },
})
