'use client'

import { Button, Heading, Text } from '@chakra-ui/react'
import { useState } from 'react'
import { PageFrame } from '@/components/app/page-frame'
import { SignInDialog } from '@/components/sign-in-dialog/sign-in-dialog'
import { paths } from '@/config/paths'

/** Not an admin, as far as we could find out; a signed-out admin can sign in and come back. */
export function AccessDenied({ signedOut }: { signedOut: boolean }) {
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
