import { Heading, Text } from '@chakra-ui/react'
import { Card } from '@/components/app/card'

/** What the switches do, in words. */
export function HowItWorks() {
  return (
    <Card
      aria-labelledby="how-it-works"
      color="muted"
      fontSize="sm"
      css={{ '& > p': { maxW: 'var(--measure)' } }}
    >
      <Heading as="h2" id="how-it-works" mb="3" fontSize="md" color="ink">
        How It Works
      </Heading>
      <Text mb="2">
        Releases come from GitHub by themselves, and at once with Refresh. A new one starts
        disabled: nobody is offered it until you enable it.
      </Text>
      <Text mb="2">
        Testers download the newest enabled version. Disabling it brings back the one before.
      </Text>
      <Text mb="2">
        The rollout is the part of the installed apps that gets an enabled version as an update; the
        others are offered the version before. Raise it step by step: an app that is in stays in.
        Short of 0&nbsp;%, downloads are not affected.
      </Text>
      <Text mb="2">
        GitHub counts every download of its files. This site counts those that begin at its own
        links, updates of installed apps included.
      </Text>
      <Text>Only admins can enable or disable releases.</Text>
    </Card>
  )
}
