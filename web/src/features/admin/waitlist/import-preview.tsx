import { Box, chakra, Grid, Text } from '@chakra-ui/react'
import { Labelled } from '@/components/app/labelled'
import { Select } from '@/components/app/field'
import type { ImportPreview as Preview, ImportReading } from '@/lib/api/types'
import { formatDateTime } from '@/lib/dates'
import { whole } from '@/lib/numbers'
import { spaced } from '@/lib/words'
import { Cell, Heading } from '../small-table'

interface ImportPreviewProps {
  preview: Preview
  /** What was chosen instead, of which a preview may be yet to come. */
  chosen: ImportReading
  onCorrect: (change: ImportReading) => void
}

const fields = [
  { name: 'email', label: 'Email' },
  { name: 'joined', label: 'Joined' },
  { name: 'status', label: 'Status' },
  { name: 'source', label: 'Source' },
] as const

/** How a file is read, which can be corrected, and what an import would do. */
export function ImportPreview({ preview, chosen, onCorrect }: ImportPreviewProps) {
  const { columns, report, rows } = preview
  return (
    <Box>
      <Grid gap="4" templateColumns="repeat(auto-fit, minmax(min(11rem, 100%), 1fr))">
        {fields.map(({ name, label }) => (
          <Labelled key={name} label={`${label} column`}>
            <Select
              value={chosen[name] ?? preview[name]}
              onChange={(event) => onCorrect({ [name]: Number(event.target.value) })}
            >
              {name !== 'email' && <option value={0}>None</option>}
              {columns.map((column, i) => (
                <option key={i} value={i + 1}>
                  {nameOf(column, i)}
                </option>
              ))}
            </Select>
          </Labelled>
        ))}
        {preview.joined > 0 && (
          <Labelled label="Dates such as 3/4/2026">
            <Select
              value={chosen.dates ?? (preview.dayFirst ? 'day_first' : 'month_first')}
              onChange={(event) =>
                onCorrect({ dates: event.target.value as ImportReading['dates'] })
              }
            >
              <option value="month_first">March 4</option>
              <option value="day_first">April 3</option>
            </Select>
          </Labelled>
        )}
      </Grid>
      <UnusedDates preview={preview} />
      {report.datesUnclear && (
        <Text mt="5" fontSize="sm" fontWeight={600} role="status">
          All dates in the file make sense either way. Please choose how they are meant.
        </Text>
      )}
      <Box mt="5" overflow="auto" tabIndex={0} role="region" aria-label="First lines">
        <chakra.table width="100%" fontSize="sm" borderCollapse="collapse">
          <caption className="visually-hidden">First lines</caption>
          <thead>
            <tr>
              {['Line', 'Email', 'Joined', 'Status', 'Source'].map((title) => (
                <Heading key={title}>{title}</Heading>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.line}>
                <Cell color="muted">{whole(row.line)}</Cell>
                <Cell overflowWrap="anywhere">
                  <bdi dir="ltr">{row.email || '(empty)'}</bdi>
                </Cell>
                {row.error ? (
                  <Cell colSpan={3} color="muted">
                    {row.error}
                  </Cell>
                ) : (
                  <>
                    <Cell>
                      {preview.joined > 0 && row.joinedAt ? formatDateTime(row.joinedAt) : 'Now'}
                    </Cell>
                    <Cell>{row.outcome === 'known' ? 'unchanged' : row.status}</Cell>
                    <Cell>{spaced(row.source ?? '')}</Cell>
                  </>
                )}
              </tr>
            ))}
          </tbody>
        </chakra.table>
      </Box>
      <Text mt="3" color="muted" fontSize="sm">
        {`${whole(report.added)} would be added, ${whole(report.known)} are known and stay as they are, ${whole(report.invalid)} would fail.`}
      </Text>
    </Box>
  )
}

/** Without the dates, everybody is as new as the import, and whoever waited longest loses the place. */
function UnusedDates({ preview }: { preview: Preview }) {
  const dates = preview.columns.flatMap((column, i) => (column.isTime ? [nameOf(column, i)] : []))
  if (preview.joined > 0 || dates.length === 0) return null
  return (
    <Text mt="5" fontSize="sm" fontWeight={600} role="status">
      {`No column is used for when people joined, so all of them join now. These hold dates: ${dates.join(', ')}.`}
    </Text>
  )
}

function nameOf({ title, sample }: Preview['columns'][number], index: number): string {
  return title || [`Column ${index + 1}`, sample].filter(Boolean).join(': ')
}
