import { Button, Flex, Text } from '@chakra-ui/react'
import type { ReactNode } from 'react'

interface EmptyListProps {
  children: ReactNode
  /** Given when the filters may be why. */
  onClear?: () => void
}

/** No rows: why, and the way back where there is one. */
export function EmptyList({ children, onClear }: EmptyListProps) {
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
      <Text role="status">{children}</Text>
      {onClear && (
        <Button variant="outline" size="sm" onClick={onClear}>
          Clear filters
        </Button>
      )}
    </Flex>
  )
}
