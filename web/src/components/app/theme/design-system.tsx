'use client'

import { ChakraProvider } from '@chakra-ui/react'
import { CacheProvider } from '@emotion/react'
import type { ReactNode } from 'react'
import { createStyleCache } from './style-cache'
import { system } from './system'

/** One for the page, however many parts of it have the design system around them. */
const cache = createStyleCache()

/** Chakra over the site's own tokens, for everything below it. */
export function DesignSystem({ children }: { children: ReactNode }) {
  return (
    <CacheProvider value={cache}>
      <ChakraProvider value={system}>{children}</ChakraProvider>
    </CacheProvider>
  )
}
