import { Box, Flex, Heading, Text } from '@chakra-ui/react'
import { PageFrame } from '@/components/app/page-frame'
import { BetaCard } from './beta-card'
import { DevicesCard } from './devices/devices-card'
import { PlanCard } from './plan-card'

/** Two columns of 3 : 2, one below the other where their text would have no room. */
const columns = {
  '& > *': { flex: '2 1 16rem', minW: 0 },
  '& > :first-child': { flex: '3 1 24rem' },
}

/** What a person has with us. */
export function ProfileContent({ email }: { email: string }) {
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
      <Flex wrap="wrap" gap="5" css={columns}>
        <PlanCard />
        <BetaCard />
      </Flex>
      <DevicesCard />
    </PageFrame>
  )
}
