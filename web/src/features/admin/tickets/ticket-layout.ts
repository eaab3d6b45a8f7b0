import type { SystemStyleObject } from '@chakra-ui/react'

/** The columns of a ticket, shared by its skeleton and itself; stacked on narrow screens. */
export const ticketLayout: SystemStyleObject = {
  display: 'grid',
  columnGap: { base: '2', lg: '5' },
  rowGap: '2',
  alignItems: 'start',
  px: '2',
  py: '3',
  borderBottom: '1px solid {colors.line}',
  gridTemplateColumns: { base: 'auto minmax(0, 1fr)', lg: 'auto minmax(0, 1fr) 15rem auto' },
  '& > :nth-child(n + 3)': { gridColumn: { base: '2', lg: 'auto' } },
}
