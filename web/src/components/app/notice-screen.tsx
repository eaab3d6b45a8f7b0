import { Flex, Heading, Text } from '@chakra-ui/react'
import type { ReactNode } from 'react'
import { Wordmark } from '@/components/brand/wordmark'

interface NoticeScreenProps {
  title: string
  text?: ReactNode
  children?: ReactNode
}

/** A page that says one thing, and offers at most a step or two. */
export function NoticeScreen({ title, text, children }: NoticeScreenProps) {
  return (
    <Flex
      as="main"
      id="main"
      direction="column"
      align="center"
      justify="center"
      gap="6"
      minH="100dvh"
      px="var(--gutter)"
      py="10"
      textAlign="center"
    >
      <Wordmark />
      <Flex direction="column" gap="3" maxW="30rem">
        <Heading as="h1" fontSize="2xl">
          {title}
        </Heading>
        {text && (
          <Text color="muted" overflowWrap="anywhere">
            {text}
          </Text>
        )}
      </Flex>
      {children}
    </Flex>
  )
}
