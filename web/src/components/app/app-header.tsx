import { Box, Flex } from '@chakra-ui/react'
import type { ReactNode } from 'react'
import { Wordmark } from '@/components/brand/wordmark'

/** The bar above the app pages: the logo, and whoever is signed in. Its height never changes. */
export function AppHeader({ account }: { account: ReactNode }) {
  return (
    <Box as="header" borderBottom="1px solid {colors.line}">
      <Flex
        align="center"
        justify="space-between"
        maxW="var(--page)"
        minH="4rem"
        mx="auto"
        px="var(--gutter)"
      >
        <Wordmark />
        {account}
      </Flex>
    </Box>
  )
}
