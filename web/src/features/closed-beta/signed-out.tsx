'use client'

import { useState } from 'react'
import { Button } from '@/components/button'
import { SignInDialog } from '@/components/app/sign-in-dialog/sign-in-dialog'
import { SiteFooter } from '@/components/site-footer/site-footer'
import { paths } from '@/config/paths'
import { Display } from './display'
import styles from './display.module.css'

interface SignedOutProps {
  /** The dialog is open from the start. */
  asking?: boolean
  /** The person came by the link of an invitation. */
  invited?: boolean
}

/** Nobody is signed in: the dialog leads back here. */
export function SignedOut({ asking: initial = false, invited = false }: SignedOutProps) {
  const [asking, setAsking] = useState(initial)
  return (
    <>
      <Display title="Closed Beta" vanes={0}>
        <p>Sign in to check your closed beta access status and download the app.</p>
        {invited && <p>Your invitation is kept until then, whichever address you sign in with.</p>}
        <Button
          size="large"
          className={styles.action}
          data-event="sign_in"
          onClick={() => setAsking(true)}
        >
          Sign In
        </Button>
        <SignInDialog open={asking} onClose={() => setAsking(false)} returnTo={paths.closedBeta} />
      </Display>
      <SiteFooter signInTo={paths.closedBeta} />
    </>
  )
}
