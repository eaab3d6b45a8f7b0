'use client'

import { Button, Flex, Text } from '@chakra-ui/react'
import { useCallback, useState } from 'react'
import { providerButtons, providers } from '@/components/sign-in-dialog/providers'
import { problemText } from '@/lib/api/problem'
import { type SignInStart, startSignIn } from '@/lib/api/sign-in'
import type { Provider } from '@/lib/api/types'
import { usePageRestored } from '@/lib/use-page-restored'
import { leaveTo } from '@/lib/leave'

interface ProviderButtonsProps {
  start: SignInStart
  offer?: readonly Provider[]
}

/**
 * Starts a sign-in with one of the offered providers. All buttons rest after a click: a second
 * start in the same browser would make the first one fail at its return.
 */
export function ProviderButtons({ start, offer = providers }: ProviderButtonsProps) {
  const [pending, setPending] = useState(false)
  const [error, setError] = useState<string | null>(null)

  usePageRestored(useCallback(() => setPending(false), []))

  const signIn = async (provider: Provider) => {
    setPending(true)
    setError(null)
    try {
      leaveTo(await startSignIn(provider, start))
    } catch (problem) {
      setError(problemText(problem, 'An error occurred'))
      setPending(false)
    }
  }

  return (
    <Flex direction="column" gap="3" width="min(20rem, 100%)">
      {offer.map((provider) => {
        const { label, Logo } = providerButtons[provider]
        return (
          <Button
            key={provider}
            variant="outline"
            disabled={pending}
            onClick={() => void signIn(provider)}
          >
            <Logo />
            {label}
          </Button>
        )
      })}
      <Text role="alert" color="danger" fontSize="sm" minH="1.6em">
        {error}
      </Text>
    </Flex>
  )
}
