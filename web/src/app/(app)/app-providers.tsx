'use client'

import { ChakraProvider } from '@chakra-ui/react'
import type { ReactNode } from 'react'
import { StyleRegistry } from '@/components/app/theme/style-registry'
import { system } from '@/components/app/theme/system'
import { IdentifyPerson } from '@/features/session/identify-person'
import { SessionProvider } from '@/features/session/session-provider'

/** The run-times of the app pages; the marketing pages ship without them. */
export function AppProviders({ children }: { children: ReactNode }) {
  return (
    <StyleRegistry>
      <ChakraProvider value={system}>
        <SessionProvider>
          {children}
          <IdentifyPerson />
        </SessionProvider>
      </ChakraProvider>
    </StyleRegistry>
  )
}
