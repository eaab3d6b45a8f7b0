import { Box, chakra, Skeleton } from '@chakra-ui/react'
import type { WaitlistUser } from '@/lib/api/types'
import { WaitlistRow } from './waitlist-row'
import { rowLayout } from './row-layout'

interface WaitlistTableProps {
  /** The rows as they were loaded, a page at a time. */
  pages: WaitlistUser[][]
  loading: boolean
}

/** Room for a row before it has been drawn. */
const ROW_REM = 3.5
const SKELETON_ROWS = 6
const titles = ['E-mail', 'Status', 'Source', 'Joined'] as const

/**
 * The waitlist as a table. Rows are grids, so that they stack on narrow screens; the roles say what
 * the changed display takes away. Each page is drawn only while it is near the viewport.
 */
export function WaitlistTable({ pages, loading }: WaitlistTableProps) {
  return (
    <chakra.table role="table" display="block" mx="-3" aria-busy={loading} fontSize="sm">
      <caption className="visually-hidden">Waitlist</caption>
      <chakra.thead
        role="rowgroup"
        display={{ base: 'none', lg: 'block' }}
        position="sticky"
        top={0}
        zIndex={1}
        bg="paper"
        borderBottom="1px solid {colors.line-strong}"
      >
        <chakra.tr role="row" css={rowLayout} minH="2.5rem">
          {titles.map((title) => (
            <Heading key={title}>{title}</Heading>
          ))}
          <Heading>
            <span className="visually-hidden">Actions</span>
          </Heading>
        </chakra.tr>
      </chakra.thead>
      {loading && <SkeletonRows />}
      {pages.map((page, index) => (
        <chakra.tbody
          key={index}
          role="rowgroup"
          display="block"
          contentVisibility="auto"
          containIntrinsicBlockSize={`auto ${page.length * ROW_REM}rem`}
        >
          {page.map((entry) => (
            <WaitlistRow key={entry.id} entry={entry} />
          ))}
        </chakra.tbody>
      ))}
    </chakra.table>
  )
}

const Heading = chakra(
  'th',
  {
    base: { textAlign: 'start', fontSize: 'xs', fontWeight: 600, color: 'quiet' },
  },
  { defaultProps: { role: 'columnheader', scope: 'col' } },
)

function SkeletonRows() {
  return (
    <chakra.tbody role="rowgroup" display="block" aria-hidden>
      {Array.from({ length: SKELETON_ROWS }, (_, row) => (
        <chakra.tr key={row} css={rowLayout}>
          {[0, 1, 2, 3].map((cell) => (
            <td key={cell}>
              <Box height="1.35rem" display="flex" alignItems="center">
                <Skeleton height="0.75rem" width={cell === 0 ? `${70 - row * 6}%` : '60%'} />
              </Box>
            </td>
          ))}
          <td />
        </chakra.tr>
      ))}
    </chakra.tbody>
  )
}
