'use client'

import { Button, Text } from '@chakra-ui/react'
import { useState } from 'react'
import { SignInDialog } from '@/components/sign-in-dialog/sign-in-dialog'
import { SiteFooter } from '@/components/site-footer/site-footer'
import { paths } from '@/config/paths'
import { Display } from './display'

/** Nobody is signed in: the dialog leads back here. */
export function SignedOut() {
  const [asking, setAsking] = useState(false)
  return (
    <>
      <Display title="Closed Beta" vanes={0}>
        <Text>Sign in to check your closed beta access status and download the app.</Text>
        <Button size="lg" mt="4" onClick={() => setAsking(true)}>
          Sign In
        </Button>
        <SignInDialog open={asking} onClose={() => setAsking(false)} returnTo={paths.closedBeta} />
      </Display>
      <SiteFooter />
    </>
  )
}
