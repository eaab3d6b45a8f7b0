import { Box, chakra, Flex, Heading, Text } from '@chakra-ui/react'
import { Mark } from '@/components/brand/mark'
import { Button } from '@/components/button'
import type { Payment } from '../arrival'
import type { PaymentProgress } from '../billing/use-payment'
import styles from './welcome.module.css'

const MANAGE = 'Manage your subscription here in your profile'
const next = ['Use your credits immediately', 'Access all the features of your plan', MANAGE]
const later = ['Use your credits when the payment has arrived, usually within a week', MANAGE]

interface WelcomeProps {
  payment: Payment
  progress: PaymentProgress
  onDone: () => void
}

/** The plan card behind says the same, and what to do. */
const states: Record<PaymentProgress, string> = {
  none: '',
  waiting: 'Your payment is being confirmed.',
  arrived: 'Your subscription is active!',
  'on-its-way': 'Your payment is on its way.',
  late: 'Your payment is not confirmed yet.',
}

/** What was bought, whether it is confirmed, and what comes next. */
export function Welcome({ payment, progress, onDone }: WelcomeProps) {
  return (
    <>
      <Flex wrap="wrap" align="center" gap="4" mb="6">
        <Box color="ember-live">
          <Mark size={40} />
        </Box>
        <Text role="status" flex="1 1 10rem" minW={0} fontSize="lg" overflowWrap="anywhere">
          {states[progress]}
        </Text>
      </Flex>
      <Facts>
        <div>
          <dt>Credits every {payment.yearly ? 'year' : 'month'}</dt>
          <dd>{payment.tokens}</dd>
        </div>
        <div>
          <dt>Price per {payment.yearly ? 'year' : 'month'}</dt>
          <dd>{payment.price}</dd>
        </div>
      </Facts>
      <Heading as="h3" fontSize="md" mb="3">
        What&apos;s next?
      </Heading>
      <chakra.ul display="grid" gap="2" mb="6" ps="5" color="muted" fontSize="sm">
        {(progress === 'on-its-way' ? later : next).map((step) => (
          <li key={step}>{step}</li>
        ))}
      </chakra.ul>
      <Button className={styles.start} data-event="get_started" onClick={onDone}>
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
    '& > div': {
      display: 'flex',
      flex: 1,
      flexDirection: 'column',
      // The figures stand on one line, also where one of their names takes two.
      justifyContent: 'flex-end',
      py: '4',
    },
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
