'use client'

import { Button, Heading, Text } from '@chakra-ui/react'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import { PageFrame } from '@/components/app/page-frame'
import { WaitingScreen } from '@/components/app/waiting-screen'
import { SignInDialog } from '@/components/sign-in-dialog/sign-in-dialog'
import { paths } from '@/config/paths'
import { useAuth } from '@/features/session/use-auth'
import { useGetIsAdminQuery } from '@/lib/api/identity-api'

const checking = <WaitingScreen text="Checking permissions..." fill="calc(100dvh - 5rem)" />

/** Only admins load the tools. The page itself is public: the API guards every byte of data. */
const Dashboard = dynamic(() => import('./dashboard').then((m) => m.Dashboard), {
  ssr: false,
  loading: () => checking,
})

/** /admin: the tools for admins, 'Access Denied' for everybody else. A failed check denies. */
export function AdminView() {
  const { status } = useAuth()
  const check = useGetIsAdminQuery(undefined, {
    skip: status !== 'signed-in',
    refetchOnMountOrArgChange: true,
  })
  if (status === 'loading' || check.isLoading) return checking
  if (status === 'signed-in' && check.currentData === true) return <Dashboard />
  return <AccessDenied signedOut={status === 'signed-out'} />
}

function AccessDenied({ signedOut }: { signedOut: boolean }) {
  const [asking, setAsking] = useState(false)
  return (
    <PageFrame textAlign="center" pt="20">
      <Heading as="h1" mb="3" fontSize="2xl">
        Access Denied
      </Heading>
      <Text color="muted">You don&apos;t have admin privileges to access this page.</Text>
      {signedOut && (
        <>
          <Button variant="outline" mt="6" onClick={() => setAsking(true)}>
            Sign In
          </Button>
          <SignInDialog open={asking} onClose={() => setAsking(false)} returnTo={paths.admin} />
        </>
      )}
    </PageFrame>
  )
}
