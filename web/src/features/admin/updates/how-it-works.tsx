import { Heading, Text } from '@chakra-ui/react'
import { Card } from '@/components/app/card'

/** What the switches do, in words. */
export function HowItWorks() {
  return (
    <Card aria-labelledby="how-it-works" color="muted" fontSize="sm">
      <Heading as="h2" id="how-it-works" mb="3" fontSize="md" color="ink">
        How It Works
      </Heading>
      <Text mb="2">
        Releases come from GitHub by themselves. A new one starts disabled: nobody is offered it
        until you enable it.
      </Text>
      <Text mb="2">
        Testers download the newest enabled version. Disabling it brings back the one before.
      </Text>
      <Text>Only admins can enable or disable releases.</Text>
    </Card>
  )
}
