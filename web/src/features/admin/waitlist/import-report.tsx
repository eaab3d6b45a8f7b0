import { Box, chakra, Flex, Text } from '@chakra-ui/react'
import type { ImportReport as Report } from '@/lib/api/types'
import { StatusBadge } from '@/components/app/status-badge'
import { whole } from '@/lib/numbers'

type Line = Report['lines'][number]

function outcomeOf({ outcome, error }: Line): string {
  if (outcome === 'known') return error ?? 'Already on the waitlist'
  return error ?? 'Not an email address'
}

/** What became of the lines of a file: how many, and which were not added. */
export function ImportReport({ report }: { report: Report }) {
  const { added, known, invalid, lines } = report
  const skipped = known + invalid
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
          {added > 0 ? 'Every address was added.' : 'The file has no addresses.'}
        </Text>
      ) : (
        <>
          <Text mt="5" mb="2" color="muted" fontSize="sm">
            {skipped > lines.length
              ? `The first ${whole(lines.length)} of ${whole(skipped)} lines that were not added:`
              : 'Lines that were not added:'}
          </Text>
          <Box maxH="18rem" overflow="auto" tabIndex={0} role="region" aria-label="Lines">
            <chakra.table width="100%" fontSize="sm" borderCollapse="collapse">
              <caption className="visually-hidden">Lines that were not added</caption>
              <thead>
                <tr>
                  <Heading>Line</Heading>
                  <Heading>Email</Heading>
                  <Heading>Result</Heading>
                </tr>
              </thead>
              <tbody>
                {lines.map((line) => (
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
          <StatusBadge tone={line.outcome === 'invalid' ? 'danger' : 'neutral'}>
            {line.outcome === 'invalid' ? 'failed' : line.outcome}
          </StatusBadge>
        </chakra.span>
        <chakra.span color="muted">{outcomeOf(line)}</chakra.span>
      </Cell>
    </tr>
  )
}

const Heading = chakra(
  'th',
  {
    base: {
      position: 'sticky',
      top: 0,
      px: '2',
      py: '2',
      bg: 'raised',
      textAlign: 'start',
      fontSize: 'xs',
      fontWeight: 600,
      color: 'quiet',
    },
  },
  { defaultProps: { scope: 'col' } },
)

const Cell = chakra('td', {
  base: { px: '2', py: '2', verticalAlign: 'top', borderTop: '1px solid {colors.line}' },
})
