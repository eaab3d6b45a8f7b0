import { Box, Flex, Heading, Text } from '@chakra-ui/react'
import type { ReactNode } from 'react'
import { Button } from '@/components/button'

interface EmptyListProps {
  title?: string
  children: ReactNode
  /** Given when the filters may be why. */
  onClear?: () => void
}

/** No rows: why, and the way back where there is one. */
export function EmptyList({ title, children, onClear }: EmptyListProps) {
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
      <Box role="status">
        {title && (
          <Heading as="h3" mb="2" color="ink" fontSize="lg">
            {title}
          </Heading>
        )}
        <Text>{children}</Text>
      </Box>
      {onClear && (
        <Button variant="secondary" size="dense" data-event="clear_filters" onClick={onClear}>
          Clear filters
        </Button>
      )}
    </Flex>
  )
}
