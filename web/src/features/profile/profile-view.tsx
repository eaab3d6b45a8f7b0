'use client'

import { Box, Grid, Heading, Text } from '@chakra-ui/react'
import { useRouter } from 'next/navigation'
import { useEffect } from 'react'
import { PageFrame } from '@/components/app/page-frame'
import { WaitingScreen } from '@/components/app/waiting-screen'
import { paths } from '@/config/paths'
import { useAuth } from '@/features/session/use-auth'
import { BetaCard } from './beta-card'
import { PlanCard } from './plan-card'

/** /profile: whoever is signed in; everybody else goes home. */
export function ProfileView() {
  const { status, user } = useAuth()
  const router = useRouter()

  useEffect(() => {
    if (status === 'signed-out') router.replace(paths.home)
  }, [status, router])

  if (!user) return <WaitingScreen text="Loading..." fill="calc(100dvh - 5rem)" />
  return (
    <PageFrame>
      <Box mb="8">
        <Heading as="h1" fontSize="2xl">
          Profile
        </Heading>
        <Text color="muted" overflowWrap="anywhere">
          {user.email}
        </Text>
      </Box>
      <Grid templateColumns={{ md: '3fr 2fr' }} gap="5" alignItems="stretch">
        <PlanCard />
        <BetaCard />
      </Grid>
    </PageFrame>
  )
}
