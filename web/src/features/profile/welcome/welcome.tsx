import { Box, Button, chakra, Flex, Heading, Text } from '@chakra-ui/react'
import { Mark } from '@/components/brand/mark'
import type { Payment } from '../arrival'

const next = [
  'Use your credits immediately',
  'Access all the features of your plan',
  'Manage your subscription here in your profile',
] as const

interface WelcomeProps {
  payment: Payment
  onDone: () => void
}

/** What was bought, and what comes next. */
export function Welcome({ payment, onDone }: WelcomeProps) {
  return (
    <>
      <Flex align="center" gap="4" mb="6">
        <Box color="ember-live">
          <Mark size={40} />
        </Box>
        <Text fontSize="lg">Your subscription is active!</Text>
      </Flex>
      <Facts>
        <div>
          <dt>Credits every month</dt>
          <dd>{payment.tokens}</dd>
        </div>
        <div>
          <dt>Price per month</dt>
          <dd>{payment.price}</dd>
        </div>
      </Facts>
      <Heading as="h3" fontSize="md" mb="3">
        What&apos;s next?
      </Heading>
      <chakra.ul display="grid" gap="2" mb="6" ps="5" color="muted" fontSize="sm">
        {next.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </chakra.ul>
      <Button width="100%" onClick={onDone}>
        Get Started
      </Button>
    </>
  )
}

const Facts = chakra('dl', {
  base: {
    display: 'flex',
    mb: '6',
    borderBlock: '1px solid {colors.line}',
    '& > div': { flex: 1, py: '4' },
    '& > div + div': { ps: '5', borderInlineStart: '1px solid {colors.line}' },
    '& dt': { color: 'quiet', fontSize: 'xs' },
    '& dd': {
      fontSize: 'xl',
      fontWeight: 650,
      letterSpacing: 'var(--tracking-title)',
      fontVariantNumeric: 'tabular-nums',
    },
  },
})
