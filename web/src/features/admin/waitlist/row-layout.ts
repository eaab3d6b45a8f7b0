import type { SystemStyleObject } from '@chakra-ui/react'
import { rowStyle } from '../paged-table'

/** The columns of an entry; stacked beside its box on narrow screens. */
export const rowLayout: SystemStyleObject = {
  ...rowStyle,
  gridTemplateColumns: {
    base: '1.75rem 1fr 1fr',
    md: '1.75rem 7rem 8rem 8rem 1fr',
    lg: '1.75rem minmax(0, 1fr) 7rem 8rem 8rem 11.5rem',
  },
  '& > :nth-of-type(1)': {
    gridRow: { base: '1 / span 4', md: '1 / span 2', lg: 'auto' },
    alignSelf: { base: 'start', lg: 'center' },
  },
  '& > :nth-of-type(2)': { gridColumn: { base: '2 / -1', lg: 'auto' } },
  '& > :nth-of-type(6)': { gridColumn: { base: '2 / -1', md: 'auto' } },
}
