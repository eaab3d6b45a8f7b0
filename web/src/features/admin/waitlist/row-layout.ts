import type { SystemStyleObject } from '@chakra-ui/react'
import { rowStyle } from '../paged-table'

/** The columns of an entry; stacked on narrow screens. */
export const rowLayout: SystemStyleObject = {
  ...rowStyle,
  gridTemplateColumns: {
    base: '1fr 1fr',
    md: '7rem 8rem 8rem 1fr',
    lg: 'minmax(0, 1fr) 7rem 8rem 8rem 11.5rem',
  },
  '& > :first-of-type': { gridColumn: { base: '1 / -1', lg: 'auto' } },
  '& > :last-child': { gridColumn: { base: '1 / -1', md: 'auto' } },
}
