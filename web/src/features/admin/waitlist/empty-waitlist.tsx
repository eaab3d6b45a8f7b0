import { Button, Flex, Text } from '@chakra-ui/react'

/** No rows; with `onClear`, because of the filters. */
export function EmptyWaitlist({ onClear }: { onClear?: () => void }) {
  return (
    <Flex
      direction="column"
      align="center"
      gap="4"
      py="16"
      px="6"
      color="muted"
      textAlign="center"
      border="1px dashed {colors.line-strong}"
      borderRadius="lg"
    >
      <Text role="status">No waitlist users found. Click &quot;Refresh&quot; to load users.</Text>
      {onClear && (
        <Button variant="outline" size="sm" onClick={onClear}>
          Clear filters
        </Button>
      )}
    </Flex>
  )
}
