import { Box, chakra, Flex, Text } from '@chakra-ui/react'
import type { ImportReport as Report } from '@/lib/api/types'
import { StatusBadge } from '@/components/app/status-badge'
import { Button } from '@/components/button'
import { saveFile } from '@/lib/api/download'
import { whole } from '@/lib/numbers'
import { reasonsOf, refusedFile } from './refused-lines'
import { Cell, Heading } from '../small-table'

type Line = Report['lines'][number]

/** What a line is called that failed without a reason. */
const NO_REASON = 'Not an email address'

/** How many lines are shown; all are in the file. */
const MAX_SHOWN = 100

interface ImportReportProps {
  report: Report
  /** Whether 3/4/2026 was read as 3 April. */
  dayFirst: boolean
}

/** The result of an import: counts, and the lines that failed. */
export function ImportReport({ report, dayFirst }: ImportReportProps) {
  const { added, known, invalid, lines } = report
  const counts = [
    { name: 'Added', value: added },
    { name: 'Known', value: known },
    { name: 'Failed', value: invalid },
  ]
  return (
    <Box>
      <Box role="group" aria-label="Result">
        <Flex as="dl" wrap="wrap" columnGap="8" rowGap="3" m={0}>
          {counts.map(({ name, value }) => (
            <Box key={name}>
              <chakra.dt color="quiet" fontSize="xs">
                {name}
              </chakra.dt>
              <chakra.dd m={0} fontSize="xl" fontWeight={650} fontVariantNumeric="tabular-nums">
                {whole(value)}
              </chakra.dd>
            </Box>
          ))}
        </Flex>
      </Box>
      {lines.length === 0 ? (
        <Text mt="4" color="muted" fontSize="sm">
          {endOf(report)}
        </Text>
      ) : (
        <>
          <Flex mt="5" wrap="wrap" gap="3" align="center" justify="space-between">
            <Reasons lines={lines} />
            <Button
              variant="secondary"
              size="dense"
              data-event="save_refused_lines"
              onClick={() => saveRefused(lines, dayFirst)}
            >
              Save the failed lines
            </Button>
          </Flex>
          <Text mt="3" mb="2" color="muted" fontSize="sm">
            {lines.length > MAX_SHOWN
              ? `The first ${whole(MAX_SHOWN)} lines that failed${invalid > lines.length ? `, of the first ${whole(lines.length)} that are in the file` : ''}:`
              : 'Lines that failed:'}
          </Text>
          <Box maxH="18rem" overflow="auto" tabIndex={0} role="region" aria-label="Lines">
            <chakra.table width="100%" fontSize="sm" borderCollapse="collapse">
              <caption className="visually-hidden">Lines that failed</caption>
              <thead>
                <tr>
                  {['Line', 'Email', 'Result'].map((title) => (
                    <Heading key={title} position="sticky" top={0} bg="raised">
                      {title}
                    </Heading>
                  ))}
                </tr>
              </thead>
              <tbody>
                {lines.slice(0, MAX_SHOWN).map((line) => (
                  <ReportLine key={line.line} line={line} />
                ))}
              </tbody>
            </chakra.table>
          </Box>
        </>
      )}
    </Box>
  )
}

/** The summary where no line failed. */
function endOf({ added, known }: Report): string {
  if (known > 0) return 'All other addresses are on the waitlist already.'
  return added > 0 ? 'Every address was added.' : 'The file has no addresses.'
}

function saveRefused(lines: readonly Line[], dayFirst: boolean) {
  const content = new Blob([refusedFile(lines, dayFirst)], { type: 'text/csv' })
  saveFile({ name: 'failed-lines.csv', content })
}

/** How many lines failed for which reason. */
function Reasons({ lines }: { lines: readonly Line[] }) {
  return (
    <chakra.ul m={0} p={0} listStyleType="none" fontSize="sm" aria-label="Reasons">
      {reasonsOf(lines).map(([reason, count]) => (
        <li key={reason}>
          {`${whole(count)} ${count === 1 ? 'line' : 'lines'}: ${reason || NO_REASON}`}
        </li>
      ))}
    </chakra.ul>
  )
}

function ReportLine({ line }: { line: Line }) {
  return (
    <tr>
      <Cell color="muted" fontVariantNumeric="tabular-nums">
        {whole(line.line)}
      </Cell>
      <Cell overflowWrap="anywhere">
        <bdi dir="ltr">{line.email || '(empty)'}</bdi>
      </Cell>
      <Cell>
        <chakra.span display="inline-block" me="2">
          <StatusBadge tone="danger">failed</StatusBadge>
        </chakra.span>
        <chakra.span color="muted">{line.error ?? NO_REASON}</chakra.span>
      </Cell>
    </tr>
  )
}
