import { Box, chakra, type SystemStyleObject } from '@chakra-ui/react'
import { memo, type ReactNode, type Ref, useMemo } from 'react'
import { Skeleton } from '@/components/app/skeleton'
import { useTurns } from '@/components/app/use-turns'
import { groupsOf } from './groups-of'
import { hairline } from './hairline'

interface PagedTableProps<Row> {
  /** The table, which can take the focus. */
  ref?: Ref<HTMLTableElement>
  caption: string
  /** The grid of a row, shared by its head and its skeleton. */
  layout: SystemStyleObject
  /** What stands over each column; those in `unseen` are for the ears only. */
  titles: readonly string[]
  unseen: readonly string[]
  /** The rows as they were loaded, a page at a time. */
  pages: readonly Row[][]
  loading: boolean
  /** How far below the top of the window the head stays, where something else stays above it. */
  headTop?: string
  /** Draws a row. A page is drawn anew when this is another function, or when the page itself changes. */
  children: (row: Row) => ReactNode
}

/** Room for a row before it has been drawn. */
const ROW_REM = 3.5
const SKELETON_ROWS = 6
/**
 * A table that grows by pages. Rows are grids, so that they stack on narrow screens; the roles say
 * what the changed display takes away. Rows are laid out only while they are near the viewport.
 */
export function PagedTable<Row>(props: PagedTableProps<Row>) {
  const { ref, caption, layout, titles, unseen, pages, loading, headTop = '0', children } = props
  return (
    <chakra.table
      ref={ref}
      tabIndex={-1}
      role="table"
      display="block"
      mx="-3"
      aria-busy={loading}
      fontSize="sm"
    >
      <caption className="visually-hidden">{caption}</caption>
      <chakra.thead
        role="rowgroup"
        display={{ base: 'none', lg: 'block' }}
        position="sticky"
        top={headTop}
        zIndex={1}
        bg="paper"
      >
        <chakra.tr role="row" css={[layout, hairline('line-strong')]} minH="2.5rem">
          {titles.map((title) => (
            <Heading key={title}>
              {unseen.includes(title) ? <span className="visually-hidden">{title}</span> : title}
            </Heading>
          ))}
        </chakra.tr>
      </chakra.thead>
      {loading && (
        <SkeletonRows layout={layout} shown={titles.map((title) => !unseen.includes(title))} />
      )}
      {pages.map((page, index) => (
        <TablePage key={index} rows={page} draw={children} />
      ))}
    </chakra.table>
  )
}

interface RowsProps<Row> {
  rows: readonly Row[]
  draw: (row: Row) => ReactNode
}

/**
 * Drawn once: with many pages loaded, another one must not cost as much as all of them. And a group at
 * a time, for all of them take longer than a person may be kept waiting.
 */
const TablePage = memo(function TablePage<Row>({ rows, draw }: RowsProps<Row>) {
  const groups = useMemo(() => groupsOf(rows), [rows])
  const shown = useTurns(groups.length)
  return groups.slice(0, shown).map((group, at) => <Group key={at} rows={group} draw={draw} />)
}) as <Row>(props: RowsProps<Row>) => ReactNode

const Group = memo(function Group<Row>({ rows, draw }: RowsProps<Row>) {
  return (
    <chakra.tbody
      role="rowgroup"
      display="block"
      contentVisibility="auto"
      containIntrinsicBlockSize={`auto ${rows.length * ROW_REM}rem`}
    >
      {rows.map(draw)}
    </chakra.tbody>
  )
}) as <Row>(props: RowsProps<Row>) => ReactNode

const Heading = chakra(
  'th',
  {
    base: { p: 0, textAlign: 'start', fontSize: 'xs', fontWeight: 600, color: 'quiet' },
  },
  { defaultProps: { role: 'columnheader', scope: 'col' } },
)

/** What the rows of every such table have in common; each adds its columns. */
export const rowStyle: SystemStyleObject = {
  display: 'grid',
  alignItems: 'center',
  columnGap: '4',
  rowGap: '1',
  px: '3',
  minH: `${ROW_REM}rem`,
  py: '2',
  ...hairline('line'),
}

/** A row that can have the focus when what had it in the row has gone. */
export const Row = chakra(
  'tr',
  {
    base: {
      _focusVisible: { outlineOffset: '-2px' },
      _hover: { bg: 'sunk' },
      '&&[data-selected]': { bg: 'ember-wash' },
    },
  },
  { defaultProps: { role: 'row', tabIndex: -1 } },
)

export const Cell = chakra('td', { base: { minW: 0, p: 0 } }, { defaultProps: { role: 'cell' } })

interface SkeletonRowsProps {
  layout: SystemStyleObject
  /** For each cell, whether it has anything to show; the first of these has the most. */
  shown: readonly boolean[]
}

function SkeletonRows({ layout, shown }: SkeletonRowsProps) {
  const widest = shown.indexOf(true)
  return (
    <chakra.tbody role="rowgroup" display="block" aria-hidden>
      {Array.from({ length: SKELETON_ROWS }, (_, row) => (
        <chakra.tr key={row} css={layout}>
          {shown.map((drawn, cell) => (
            <td key={cell}>
              <Box height="1.35rem" display="flex" alignItems="center">
                {drawn && (
                  <Skeleton height="0.75rem" width={cell === widest ? `${70 - row * 6}%` : '60%'} />
                )}
              </Box>
            </td>
          ))}
        </chakra.tr>
      ))}
    </chakra.tbody>
  )
}
