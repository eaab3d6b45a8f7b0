'use client'

import { Text } from '@chakra-ui/react'
import { site } from '@/config/site'
import { Display } from './display'
import { Downloads } from './downloads'
import { useConfetti } from './use-confetti'

/** In: a small celebration and one obvious button. */
export function Approved() {
  useConfetti()
  return (
    <Display title="You're an early adopter!" vanes={3}>
      <Text>
        Thank you for being with us this early. You have access to {site.name} before everybody
        else, and what you tell us now shapes what it becomes.
      </Text>
      <Downloads />
      <Text color="quiet" fontSize="sm">
        Requires macOS {site.minimumMacOS} or later. The app keeps itself up to date.
      </Text>
    </Display>
  )
}
