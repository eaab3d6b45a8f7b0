import { Box, chakra, Flex, Heading, Text } from '@chakra-ui/react'
import type { ReactNode } from 'react'
import { InTurn } from '@/components/app/in-turn'
import { PageFrame } from '@/components/app/page-frame'
import { BetaCard } from './beta-card'
import { usePayment } from './billing/use-payment'
import { useReturnFromPortal } from './billing/use-portal'
import { CreditsCard } from './credits/credits-card'
import { DevicesCard } from './devices/devices-card'
import { HistoryModal, PlanModal, WelcomeModal } from './lazy-dialogs'
import { PlanCard } from './plan/plan-card'
import type { Dialogs } from './use-dialogs'

/** One surface for what belongs together: two columns of 3 : 2, or rows, with hairlines between. */
const Panel = chakra('div', {
  base: {
    display: 'flex',
    flexWrap: 'wrap',
    gap: '1px',
    overflow: 'hidden',
    bg: 'line',
    border: '1px solid {colors.line}',
    borderRadius: 'lg',
    // Twice, to come before what a card brings along.
    '&& > *': {
      flex: '2 1 18rem',
      minW: 0,
      px: 'min({spacing.6}, 7vw)',
      py: { base: '6', md: '8' },
      border: 'none',
      borderRadius: 0,
    },
    '&& > :first-child': { flex: '3 1 24rem' },
  },
})

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
        <Text mt="1" color="muted" overflowWrap="anywhere">
          {email}
        </Text>
      </Box>
      <Flex direction="column" gap="5">
        <InTurn>
          <Panel>
            <InTurn>
              <PlanCard progress={progress} onChoosePlan={() => show('plans')} />
              <CreditsCard onDetails={() => show('history')} />
            </InTurn>
          </Panel>
          {children}
          <DevicesCard />
          <BetaCard />
        </InTurn>
      </Flex>
      {open === 'plans' && <PlanModal onClose={close} />}
      {open === 'welcome' && payment && <WelcomeModal payment={payment} onClose={close} />}
      {open === 'history' && <HistoryModal onClose={close} />}
    </PageFrame>
  )
}
