import { Box, Flex, Heading } from '@chakra-ui/react'
import type { ReactNode } from 'react'
import { Mark } from '@/components/brand/mark'

interface DisplayProps {
  title: string
  children: ReactNode
  /** How far the feather has grown, 0 to 1: the one picture that all displays share. */
  growth: number
}

/** One moment of the closed beta: a feather that grows with every step, a heading, what is next. */
export function Display({ title, children, growth }: DisplayProps) {
  return (
    <Flex
      as="main"
      direction="column"
      align="center"
      justify="center"
      minH="min(40rem, calc(100dvh - 5rem))"
      px="var(--gutter)"
      py="16"
      textAlign="center"
    >
      <Feather growth={growth} />
      <Heading as="h1" mt="8" mb="4" fontSize="3xl" letterSpacing="var(--tracking-display)">
        {title}
      </Heading>
      <Flex direction="column" align="center" gap="4" maxW="32rem" color="muted" fontSize="lg">
        {children}
      </Flex>
    </Flex>
  )
}

function Feather({ growth }: { growth: number }) {
  const grown = `inset(0 ${100 - growth * 100}% 0 0)`
  return (
    <Box position="relative" boxSize="6rem" aria-hidden>
      <Box color="line">
        <Mark size={96} />
      </Box>
      <Box position="absolute" inset={0} color="ember-live" clipPath={grown}>
        <Mark size={96} />
      </Box>
    </Box>
  )
}
