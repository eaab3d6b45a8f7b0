'use client'

import { useState } from 'react'
import button from '@/components/button.module.css'
import { SignInDialog } from '@/components/app/sign-in-dialog/sign-in-dialog'
import { SiteFooter } from '@/components/site-footer/site-footer'
import { paths } from '@/config/paths'
import { Display } from './display'
import styles from './display.module.css'

/** Nobody is signed in: the dialog leads back here. */
export function SignedOut() {
  const [asking, setAsking] = useState(false)
  return (
    <>
      <Display title="Closed Beta" vanes={0}>
        <p>Sign in to check your closed beta access status and download the app.</p>
        <button
          type="button"
          className={`${button.primary} ${button.large} ${styles.action}`}
          onClick={() => setAsking(true)}
        >
          Sign In
        </button>
        <SignInDialog open={asking} onClose={() => setAsking(false)} returnTo={paths.closedBeta} />
      </Display>
      <SiteFooter signInTo={paths.closedBeta} />
    </>
  )
}
