import { Box, chakra, Flex, Text } from '@chakra-ui/react'
import type { ImportReport as Report } from '@/lib/api/types'
import { StatusBadge, type Tone } from '@/components/app/status-badge'
import { lookup } from '@/lib/lookup'
import { whole } from '@/lib/numbers'
import { spaced } from '@/lib/words'

type Line = Report['lines'][number]

/** Whether a line is shown: addresses that are listed already are only counted, unless they have an error. */
const isNews = ({ outcome, error }: Line) => outcome !== 'known' || Boolean(error)

const words: Record<string, { name: string; text: string; tone: Tone }> = {
  known: { name: 'known', text: 'Already on the waitlist', tone: 'neutral' },
  invalid: { name: 'failed', text: 'Not an email address', tone: 'danger' },
}

/** The result of an import: counts, and the lines that failed. */
export function ImportReport({ report }: { report: Report }) {
  const { added, known, invalid } = report
  const lines = report.lines.filter(isNews)
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
          <Text mt="5" mb="2" color="muted" fontSize="sm">
            {known + invalid > report.lines.length
              ? `The first ${whole(lines.length)} lines that failed:`
              : 'Lines that failed:'}
          </Text>
          <Box maxH="18rem" overflow="auto" tabIndex={0} role="region" aria-label="Lines">
            <chakra.table width="100%" fontSize="sm" borderCollapse="collapse">
              <caption className="visually-hidden">Lines that failed</caption>
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

/** The summary where no line is shown. */
function endOf({ added, known, invalid }: Report): string {
  if (invalid > 0) return 'The lines that failed are too far down in the file to be shown.'
  if (known > 0) return 'All other addresses are on the waitlist already.'
  return added > 0 ? 'Every address was added.' : 'The file has no addresses.'
}

function ReportLine({ line }: { line: Line }) {
  const unknown = { name: spaced(line.outcome), text: '', tone: 'neutral' } as const
  const word = lookup(words, line.outcome) ?? unknown
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
          <StatusBadge tone={word.tone}>{word.name}</StatusBadge>
        </chakra.span>
        <chakra.span color="muted">{line.error ?? word.text}</chakra.span>
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
