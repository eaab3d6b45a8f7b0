import { Button, Flex, Heading, Text } from '@chakra-ui/react'

/** Nothing to show; with `onClear`, because of the filters. */
export function NoTickets({ onClear }: { onClear?: () => void }) {
  return (
    <Flex
      direction="column"
      align="center"
      gap="2"
      py="16"
      px="6"
      textAlign="center"
      border="1px dashed {colors.line-strong}"
      borderRadius="lg"
      role="status"
    >
      <Heading as="h3" fontSize="lg">
        No tickets found
      </Heading>
      <Text color="muted">No support tickets match your current filters.</Text>
      {onClear && (
        <Button variant="outline" size="sm" mt="3" onClick={onClear}>
          Clear filters
        </Button>
      )}
    </Flex>
  )
}
