import { Flex, Heading, Text } from '@chakra-ui/react'
import { type ReactNode, useEffect, useRef } from 'react'
import { Wordmark } from '@/components/brand/wordmark'

interface NoticeScreenProps {
  title: string
  text?: ReactNode
  children?: ReactNode
  picture?: ReactNode
  /** Takes the place of a wait: the focus moves to the title, so that it is read out. */
  announce?: boolean
}

/** The title is no control: it can hold the focus, but shows no ring. */
const unfocused = { tabIndex: -1, outline: 'none' } as const

/** A page that says one thing, and offers at most a step or two. */
export function NoticeScreen(props: NoticeScreenProps) {
  const { title, text, children, picture, announce = false } = props
  const heading = useRef<HTMLHeadingElement>(null)

  useEffect(() => {
    if (announce) heading.current?.focus()
  }, [announce])

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
      {picture}
      <Flex direction="column" gap="3" maxW="30rem">
        <Heading as="h1" fontSize="2xl" ref={heading} {...(announce && unfocused)}>
          {title}
        </Heading>
        {text && (
          <Text color="muted" overflowWrap="anywhere" textWrap="balance">
            {text}
          </Text>
        )}
      </Flex>
      {children}
    </Flex>
  )
}
