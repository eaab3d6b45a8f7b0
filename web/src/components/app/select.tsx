import { chakra, type HTMLChakraProps } from '@chakra-ui/react'

const arrow = `url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16' fill='none' stroke='%23857868' stroke-width='1.75' stroke-linecap='round' stroke-linejoin='round'%3E%3Cpath d='m4 6.5 4 4 4-4'/%3E%3C/svg%3E")`

/** The platform's own select, in the form of the other fields. */
export function Select(props: HTMLChakraProps<'select'>) {
  return (
    <chakra.select
      minH="var(--target)"
      ps="3"
      pe="9"
      appearance="none"
      bgColor="raised"
      bgImage={arrow}
      bgRepeat="no-repeat"
      bgPos="right 0.75rem center"
      bgSize="1rem"
      textOverflow="ellipsis"
      color="ink"
      border="1px solid {colors.line-strong}"
      borderRadius="md"
      fontSize="sm"
      _hover={{ borderColor: 'quiet' }}
      {...props}
    />
  )
}
