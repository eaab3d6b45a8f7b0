'use client'

import { Button, Heading, Text } from '@chakra-ui/react'
import Link from 'next/link'
import { useState } from 'react'
import { PageFrame } from '@/components/app/page-frame'
import { SignInDialog } from '@/components/sign-in-dialog/sign-in-dialog'
import { paths } from '@/config/paths'

/** Not an admin, as far as we could find out; a signed-out admin can sign in and come back. */
export function AccessDenied({ signedOut }: { signedOut: boolean }) {
  const [asking, setAsking] = useState(false)
  return (
    <PageFrame
      display="flex"
      flexDirection="column"
      alignItems="center"
      justifyContent="center"
      minH="min(40rem, calc(100dvh - 10rem))"
      textAlign="center"
    >
      <Heading as="h1" mb="4" fontSize="3xl" letterSpacing="var(--tracking-display)">
        Access Denied
      </Heading>
      <Text color="muted" fontSize="lg" textWrap="balance">
        You don&apos;t have admin privileges to access this page.
      </Text>
      {signedOut ? (
        <>
          <Button variant="outline" mt="6" onClick={() => setAsking(true)}>
            Sign In
          </Button>
          <SignInDialog open={asking} onClose={() => setAsking(false)} returnTo={paths.admin} />
        </>
      ) : (
        <Button asChild variant="outline" mt="6">
          <Link href={paths.profile}>Go to Profile</Link>
        </Button>
      )}
    </PageFrame>
  )
}
