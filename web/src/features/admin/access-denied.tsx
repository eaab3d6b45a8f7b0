'use client'

import Link from 'next/link'
import { useState } from 'react'
import { PageFrame } from '@/components/app/page-frame'
import { Button, buttonClass } from '@/components/button'
import { SignInDialog } from '@/components/app/sign-in-dialog/sign-in-dialog'
import { paths } from '@/config/paths'
import styles from './access-denied.module.css'
import { saveDeepLink } from './deep-link'

/** Not of the staff, as far as we could find out; whoever is signed out can sign in and come back. */
export function AccessDenied({ signedOut }: { signedOut: boolean }) {
  const [asking, setAsking] = useState(false)
  const ask = () => {
    saveDeepLink()
    setAsking(true)
  }
  return (
    <PageFrame centred>
      <h1 className={styles.title}>Access Denied</h1>
      <p className={styles.reason}>You don&apos;t have admin privileges to access this page.</p>
      {signedOut ? (
        <>
          <Button variant="secondary" className={styles.action} data-event="sign_in" onClick={ask}>
            Sign In
          </Button>
          <SignInDialog open={asking} onClose={() => setAsking(false)} returnTo={paths.admin} />
        </>
      ) : (
        <Link
          href={paths.profile}
          className={buttonClass({ variant: 'secondary', className: styles.action })}
          data-event="go_to_profile"
        >
          Go to Profile
        </Link>
      )}
    </PageFrame>
  )
}
