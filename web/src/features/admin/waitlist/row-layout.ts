import type { SystemStyleObject } from '@chakra-ui/react'

/** The columns of a row, shared by its head, its skeleton and itself; stacked on narrow screens. */
export const rowLayout: SystemStyleObject = {
  display: 'grid',
  alignItems: 'center',
  columnGap: '4',
  rowGap: '1',
  px: '3',
  minH: '3.5rem',
  py: '2',
  borderBottom: '1px solid {colors.line}',
  gridTemplateColumns: {
    base: '1fr 1fr',
    md: '7rem 8rem 8rem 1fr',
    lg: 'minmax(0, 1fr) 7rem 8rem 8rem 11.5rem',
  },
  '& > :first-of-type': { gridColumn: { base: '1 / -1', lg: 'auto' } },
  '& > :last-child': { gridColumn: { base: '1 / -1', md: 'auto' } },
}
