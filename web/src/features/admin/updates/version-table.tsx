import { Box, chakra, Flex } from '@chakra-ui/react'
import type { DownloadStats } from '@/lib/api/types'
import { whole } from '@/lib/numbers'

type Versions = DownloadStats['versions']

/** As many versions as get a row of their own; older ones share the last. */
const MAX_ROWS = 8

interface Row {
  name: string
  total: number
  arm64: number
  x64: number
}

function rowsOf(versions: Versions): Row[] {
  const rows = versions.map(({ version, ...counts }) => ({ name: `v${version}`, ...counts }))
  const older = rows.splice(MAX_ROWS)
  if (older.length === 0) return rows
  const sum = (pick: (row: Row) => number) => older.reduce((total, row) => total + pick(row), 0)
  return [
    ...rows,
    {
      name: 'Older versions',
      total: sum((row) => row.total),
      arm64: sum((row) => row.arm64),
      x64: sum((row) => row.x64),
    },
  ]
}

interface VersionTableProps {
  /** Newest first. */
  versions: Versions
  labelledBy: string
}

/** Downloads of each version, by the Macs that the builds are for; all of them include universal builds. */
export function VersionTable({ versions, labelledBy }: VersionTableProps) {
  const rows = rowsOf(versions)
  const most = Math.max(...rows.map((row) => row.total))
  return (
    <Box overflow="auto" tabIndex={0} role="group" aria-labelledby={labelledBy}>
      <Table aria-labelledby={labelledBy}>
        <thead>
          <tr>
            <th scope="col">Version</th>
            <th scope="col">
              <Key bg="ember-live" aria-hidden /> arm64
            </th>
            <th scope="col">
              <Key bg="quiet" aria-hidden /> x64
            </th>
            <th scope="col">All</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              <th scope="row">
                {row.name}
                <Bar row={row} most={most} />
              </th>
              <td>{whole(row.arm64)}</td>
              <td>{whole(row.x64)}</td>
              <td>{whole(row.total)}</td>
            </tr>
          ))}
        </tbody>
      </Table>
    </Box>
  )
}

/** In proportion to the most downloaded version. */
function Bar({ row: { arm64, x64, total }, most }: { row: Row; most: number }) {
  const width = (count: number) => ({ width: `${(count / most) * 100}%` })
  return (
    <Flex
      height="4px"
      mt="1"
      bg="line"
      borderRadius="full"
      overflow="hidden"
      forcedColorAdjust="none"
      aria-hidden
    >
      <Box bg="ember-live" style={width(arm64)} />
      <Box bg="quiet" style={width(x64)} />
      <Box bg="line-strong" style={width(total - arm64 - x64)} />
    </Flex>
  )
}

const Key = chakra('span', {
  base: {
    display: 'inline-block',
    boxSize: '0.5rem',
    borderRadius: 'full',
    forcedColorAdjust: 'none',
  },
})

const Table = chakra('table', {
  base: {
    width: '100%',
    mt: '2',
    borderCollapse: 'collapse',
    fontSize: 'sm',
    fontVariantNumeric: 'tabular-nums',
    '& th, & td': { py: '2', fontWeight: 400, verticalAlign: 'top' },
    '& th': { textAlign: 'start' },
    '& td, & thead th:not(:first-of-type)': { ps: '3', textAlign: 'end' },
    '& thead th': { color: 'quiet', fontSize: 'xs' },
    '& thead th:first-of-type': { width: '40%' },
  },
})
