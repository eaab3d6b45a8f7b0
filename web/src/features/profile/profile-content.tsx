import { Box, Grid, Heading, Text } from '@chakra-ui/react'
import { PageFrame } from '@/components/app/page-frame'
import { BetaCard } from './beta-card'
import { DevicesCard } from './devices/devices-card'
import { PlanCard } from './plan-card'

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
      <Grid templateColumns={{ md: '3fr 2fr' }} gap="5" alignItems="stretch">
        <PlanCard />
        <BetaCard />
      </Grid>
      <DevicesCard />
    </PageFrame>
  )
}
