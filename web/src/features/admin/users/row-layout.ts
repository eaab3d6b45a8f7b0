import type { SystemStyleObject } from '@chakra-ui/react'
import { rowStyle } from '../paged-table'

/** The columns of an account; stacked on narrow screens. */
export const rowLayout: SystemStyleObject = {
  ...rowStyle,
  gridTemplateColumns: {
    base: '1fr',
    md: '1fr 1fr 8.5rem',
    lg: 'minmax(0, 1fr) 14rem 8rem 12rem 8.5rem',
  },
  '& > :first-of-type': { gridColumn: { base: '1 / -1', lg: 'auto' } },
  '& > :nth-of-type(2)': { gridColumn: { base: '1 / -1', lg: 'auto' } },
}
