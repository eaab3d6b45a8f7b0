import { Box, Button, chakra, Flex, Text } from '@chakra-ui/react'
import { useEffect, useRef } from 'react'
import { spaced } from '@/components/app/tickets/words'
import type { BulkOutcome } from './use-bulk-update'

interface BulkResultProps {
  outcome: BulkOutcome
  onDismiss: () => void
}

/** What became of each ticket of a bulk change; it stays until it is dismissed. */
export function BulkResult({ outcome: { status, results }, onDismiss }: BulkResultProps) {
  const panel = useRef<HTMLDivElement>(null)
  const failed = results.filter(({ result }) => !result.ok).length
  const all = results.length

  // The button that was pressed has left with the selection.
  useEffect(() => {
    if (document.activeElement === document.body) panel.current?.focus()
  }, [])

  return (
    <Box
      ref={panel}
      role="status"
      aria-label="Result"
      tabIndex={-1}
      px="4"
      py="3"
      bg="raised"
      border="1px solid {colors.line}"
      borderInlineStart="3px solid {colors.positive}"
      borderRadius="sm"
      fontSize="sm"
      {...(failed > 0 && { borderInlineStartColor: 'danger' })}
    >
      <Flex align="center" justify="space-between" gap="3">
        <Text fontWeight={600}>
          {all - failed} of {all} {all === 1 ? 'ticket' : 'tickets'} set to {spaced(status)}
        </Text>
        <Button size="sm" variant="ghost" onClick={onDismiss}>
          Dismiss
        </Button>
      </Flex>
      <chakra.ul role="list" maxH="12rem" overflowY="auto" tabIndex={0} aria-label="Each ticket">
        {results.map(({ ticket, result }) => (
          <chakra.li key={ticket.id} py="1" color={result.ok ? 'muted' : 'danger'}>
            <chakra.span fontWeight={600}>{ticket.ticket_id}</chakra.span>{' '}
            {result.ok ? `is ${spaced(status)}` : (result.error ?? 'could not be changed')}
          </chakra.li>
        ))}
      </chakra.ul>
    </Box>
  )
}
