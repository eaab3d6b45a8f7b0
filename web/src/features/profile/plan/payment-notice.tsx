import { Flex, Spinner, Text } from '@chakra-ui/react'
import { site } from '@/config/site'
import type { PaymentProgress } from '../billing/use-payment'

/** What has become of the payment that the person has just come back from. */
export function PaymentNotice({ progress }: { progress: PaymentProgress }) {
  if (progress === 'none') return null
  return (
    <Flex
      role="status"
      align="center"
      gap="3"
      mt="4"
      color="muted"
      fontSize="sm"
      _empty={{ mt: 0 }}
    >
      {progress === 'waiting' && (
        <>
          <Spinner aria-hidden boxSize="1rem" flexShrink={0} />
          <Text>Confirming your payment...</Text>
        </>
      )}
      {progress === 'late' && (
        <Text>
          Your payment is not confirmed yet. That can take a few minutes; if it stays like this,
          write to {site.emails.support}.
        </Text>
      )}
    </Flex>
  )
}
