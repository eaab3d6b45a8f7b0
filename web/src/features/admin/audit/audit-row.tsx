import { Box, chakra, Flex, Text } from '@chakra-ui/react'
import { memo } from 'react'
import type { AuditAction, AuditEntry } from '@/lib/api/types'
import { formatDateTime } from '@/lib/format-date-time'
import { actionWords } from './audit-filter'
import { changesOf, type Change } from './changes'

/**
 * One action of staff: who did what, what it changed, and from where. There may be thousands: it is
 * drawn once, and laid out only while it is near the viewport.
 */
export const AuditRow = memo(function AuditRow({ entry }: { entry: AuditEntry }) {
  const words = actionWords[entry.action as AuditAction] ?? entry.action
  return (
    <chakra.li
      display="grid"
      gridTemplateColumns={{ md: '10rem minmax(0, 1fr)' }}
      columnGap="6"
      rowGap="1"
      py="4"
      borderBottom="1px solid {colors.line}"
      fontSize="sm"
      contentVisibility="auto"
      containIntrinsicBlockSize="auto 7rem"
    >
      <chakra.time dateTime={entry.at} color="quiet" fontVariantNumeric="tabular-nums">
        {formatDateTime(entry.at)}
      </chakra.time>
      <Box minW={0}>
        <Text overflowWrap="anywhere">
          <chakra.strong fontWeight={600}>
            <bdi>{entry.actor_email}</bdi>
          </chakra.strong>{' '}
          {words}{' '}
          <chakra.strong fontWeight={600}>
            <bdi>{entry.subject_label || entry.subject}</bdi>
          </chakra.strong>
        </Text>
        <Changes changes={changesOf(entry)} />
        <Origin entry={entry} />
      </Box>
    </chakra.li>
  )
})

function Changes({ changes }: { changes: Change[] }) {
  if (changes.length === 0) return null
  return (
    <Flex as="ul" role="list" aria-label="Changes" wrap="wrap" columnGap="5" color="muted">
      {changes.map(({ name, from, to }) => (
        <chakra.li key={name} overflowWrap="anywhere">
          {name}: {from !== null && <del>{from}</del>} {to !== null && <ins>{to}</ins>}
        </chakra.li>
      ))}
    </Flex>
  )
}

function Origin({ entry }: { entry: AuditEntry }) {
  return (
    <chakra.details mt="1" color="quiet" fontSize="xs">
      <chakra.summary
        display="inline-flex"
        minH="1.5rem"
        alignItems="center"
        cursor="pointer"
        textDecoration="underline"
        textDecorationColor="line-strong"
      >
        From {entry.client_ip || 'an unknown address'}
      </chakra.summary>
      <Text overflowWrap="anywhere">
        {entry.user_agent || 'Unknown program'} · request {entry.request_id || 'unknown'}
      </Text>
    </chakra.details>
  )
}
