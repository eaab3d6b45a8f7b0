import { Box, Flex, Text } from '@chakra-ui/react'
import { Button } from '@/components/button'

interface ConflictBarProps {
  changes: readonly string[]
  refreshing: boolean
  onRefresh: () => void
}

/** Shown after a conflict (somebody else changed the ticket first): the differences, and a button that loads them. */
export function ConflictBar({ changes, refreshing, onRefresh }: ConflictBarProps) {
  return (
    <Flex
      role="alert"
      wrap="wrap"
      align="center"
      justify="space-between"
      gap="3"
      px="4"
      py="3"
      bg="caution-wash"
      color="caution"
      borderInlineStart="3px solid {colors.caution}"
      borderRadius="sm"
      fontSize="sm"
    >
      <Box flex="1 1 16rem">
        <Text fontWeight={650}>This ticket has changed: {changes.join(', ')}.</Text>
        <Text>Nothing was sent, and your response is kept.</Text>
      </Box>
      <Button
        variant="secondary"
        size="dense"
        pending={refreshing}
        data-event="refresh_ticket"
        onClick={onRefresh}
      >
        {refreshing ? 'Refreshing...' : 'Refresh'}
      </Button>
    </Flex>
  )
}
