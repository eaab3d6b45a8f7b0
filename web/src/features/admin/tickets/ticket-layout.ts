import type { SystemStyleObject } from '@chakra-ui/react'

/** The places of a ticket's four parts, shared by its skeleton and itself; stacked on phones. */
export const ticketLayout: SystemStyleObject = {
  display: 'grid',
  columnGap: { base: '2', lg: '5' },
  rowGap: '1',
  alignItems: 'start',
  px: { base: '0', md: '2' },
  py: '3',
  borderBottom: '1px solid {colors.line}',
  gridTemplateColumns: {
    base: 'auto minmax(0, 1fr)',
    md: 'auto minmax(0, 1fr) auto',
    // Wide enough for an ordinary address, where there is room for it.
    lg: 'auto minmax(0, 1fr) minmax(15rem, 20rem) auto',
  },
  gridTemplateAreas: {
    base: `'check body' '. person' '. open'`,
    md: `'check body open' '. person open'`,
    lg: `'check body person open'`,
  },
  '& > :nth-child(1)': { gridArea: 'check' },
  '& > :nth-child(2)': { gridArea: 'body' },
  '& > :nth-child(3)': { gridArea: 'person' },
  '& > :nth-child(4)': { gridArea: 'open' },
}
