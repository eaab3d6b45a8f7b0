import { Box, Flex, Heading, Text } from '@chakra-ui/react'
import type { ReactNode } from 'react'
import { PageFrame } from '@/components/app/page-frame'
import { BetaCard } from './beta-card'
import { usePayment } from './billing/use-payment'
import { useReturnFromPortal } from './billing/use-portal'
import { CreditsCard } from './credits/credits-card'
import { DevicesCard } from './devices/devices-card'
import { HistoryModal, PlanModal, WelcomeModal } from './lazy-dialogs'
import { PlanCard } from './plan/plan-card'
import type { Dialogs } from './use-dialogs'

/** Two columns of 3 : 2, one below the other where their text would have no room. */
const columns = {
  '& > *': { flex: '2 1 18rem', minW: 0 },
  '& > :first-child': { flex: '3 1 24rem' },
}

interface ProfileContentProps {
  email: string
  dialogs: Dialogs
  children?: ReactNode
}

/** What a person has with us. */
export function ProfileContent({ email, dialogs, children }: ProfileContentProps) {
  const { open, show, close, payment } = dialogs
  const progress = usePayment(payment)
  useReturnFromPortal()

  return (
    <PageFrame>
      <Box mb="8">
        <Heading as="h1" fontSize="2xl">
          Profile
        </Heading>
        <Text color="muted" overflowWrap="anywhere">
          {email}
        </Text>
      </Box>
      <Flex direction="column" gap="5">
        <Flex wrap="wrap" gap="5" css={columns}>
          <PlanCard progress={progress} onChoosePlan={() => show('plans')} />
          <CreditsCard onDetails={() => show('history')} />
        </Flex>
        {children}
        <DevicesCard />
        <BetaCard />
      </Flex>
      {open === 'plans' && <PlanModal onClose={close} />}
      {open === 'welcome' && payment && <WelcomeModal payment={payment} onClose={close} />}
      {open === 'history' && <HistoryModal onClose={close} />}
    </PageFrame>
  )
}
