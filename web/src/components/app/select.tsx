import { chakra, type HTMLChakraProps } from '@chakra-ui/react'

/** The platform's own select, in the form of the other fields. */
export function Select(props: HTMLChakraProps<'select'>) {
  return (
    <chakra.select
      minH="var(--target)"
      px="3"
      bg="raised"
      color="ink"
      border="1px solid {colors.line-strong}"
      borderRadius="md"
      fontSize="sm"
      _hover={{ borderColor: 'quiet' }}
      {...props}
    />
  )
}
