import { Box, chakra, Heading, Text } from '@chakra-ui/react'
import type { Ref } from 'react'
import { formatDateTime } from '@/lib/dates'
import type { CreditEntry } from '@/lib/api/types'
import { moneyText, twoDecimals } from '@/lib/numbers'
import { formatChange, kindText } from '@/lib/credit-entries'

interface EntryListProps {
  ref: Ref<HTMLOListElement>
  entries: readonly CreditEntry[]
}

/** Every change of the balance, newest first; the list can take the focus. */
export function EntryList({ ref, entries }: EntryListProps) {
  return (
    <Box>
      <Heading as="h3" mb="2" fontSize="md">
        Entries
      </Heading>
      {entries.length === 0 && (
        <Text color="muted" fontSize="sm">
          Nothing yet. Credits you receive and spend appear here.
        </Text>
      )}
      <chakra.ol ref={ref} tabIndex={-1} role="list" aria-label="Entries">
        {entries.map((entry) => (
          <Entry key={entry.id} entry={entry} />
        ))}
      </chakra.ol>
    </Box>
  )
}

function Entry({ entry }: { entry: CreditEntry }) {
  const { time, kind, amount, balance_after, description, paid } = entry
  const word = kindText(kind)
  return (
    <Row>
      <chakra.span minW={0} overflowWrap="anywhere">
        <bdi>{description || word}</bdi>
        <chakra.span display="block" color="quiet" fontSize="xs">
          {description ? `${word} · ` : ''}
          <time dateTime={time}>{formatDateTime(time)}</time>
          {paid && ` · ${moneyText(paid.amount, paid.currency)} paid`}
        </chakra.span>
      </chakra.span>
      <chakra.span textAlign="end">
        <chakra.span color={amount > 0 ? 'positive' : 'ink'} fontWeight={600}>
          {formatChange(amount)}
        </chakra.span>
        <chakra.span display="block" color="quiet" fontSize="xs">
          {twoDecimals(balance_after)} left
        </chakra.span>
      </chakra.span>
    </Row>
  )
}

const Row = chakra('li', {
  base: {
    display: 'grid',
    gridTemplateColumns: '1fr auto',
    gap: '4',
    py: '3',
    borderTop: '1px solid {colors.line}',
    fontSize: 'sm',
    fontVariantNumeric: 'tabular-nums',
  },
})
