import { chakra, Flex, Heading } from '@chakra-ui/react'
import type { ReactNode } from 'react'
import { markPaths } from '@/components/brand/mark-paths'

interface DisplayProps {
  title: string
  children: ReactNode
  /** How many of the mark's three vanes have grown: the one picture that all displays share. */
  vanes: number
}

/** One moment of the closed beta: a feather that grows with every step, a heading, what is next. */
export function Display({ title, children, vanes }: DisplayProps) {
  return (
    <Flex
      as="main"
      id="main"
      direction="column"
      align="center"
      justify="center"
      minH="min(40rem, calc(100dvh - 5rem))"
      px="var(--gutter)"
      py="16"
      textAlign="center"
    >
      <Feather vanes={vanes} />
      <Heading as="h1" mt="8" mb="4" fontSize="3xl" letterSpacing="var(--tracking-display)">
        {title}
      </Heading>
      <Flex
        direction="column"
        align="center"
        gap="4"
        w="full"
        maxW="32rem"
        color="muted"
        fontSize="lg"
        textWrap="balance"
      >
        {children}
      </Flex>
    </Flex>
  )
}

function Feather({ vanes }: { vanes: number }) {
  return (
    <chakra.svg viewBox="0 0 32 32" boxSize="6rem" aria-hidden>
      {/* The vanes overlap: what has grown lies on top. */}
      {markPaths.slice(vanes).map((path) => (
        <chakra.path key={path} d={path} fill="line" />
      ))}
      {markPaths.slice(0, vanes).map((path) => (
        <chakra.path key={path} d={path} fill="ember-live" />
      ))}
    </chakra.svg>
  )
}
