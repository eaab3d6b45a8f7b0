import { Heading, Text } from '@chakra-ui/react'
import { Card } from '@/components/app/card'

/** The plan that the person has. */
export function PlanCard() {
  return (
    <Card aria-labelledby="plan" borderTop="3px solid {colors.ember-live}">
      <Text color="quiet" fontSize="xs">
        Your plan
      </Text>
      <Heading as="h2" id="plan" mt="1" mb="3" fontSize="xl">
        Free Plan
      </Heading>
      <Text color="muted" maxW="28rem">
        Basic features and limited access. Upgrade to unlock more capabilities.
      </Text>
    </Card>
  )
}
