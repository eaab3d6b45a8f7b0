import { Box, Text } from '@chakra-ui/react'
import { WaitlistForm } from '@/components/waitlist-form/waitlist-form'
import { Display } from './display'

interface NotListedProps {
  email: string
  onJoined: () => void
}

/** Signed in, but not on the waitlist: the form that puts them on it. */
export function NotListed({ email, onJoined }: NotListedProps) {
  return (
    <Display title="Closed Beta" vanes={1}>
      <Text>
        You&apos;re not on the waitlist yet. Join it, and we&apos;ll write when you can start.
      </Text>
      <Box width="min(29rem, 100%)" mt="4" textAlign="start">
        <WaitlistForm source="cta_section" defaultEmail={email} onJoined={onJoined} />
      </Box>
    </Display>
  )
}
