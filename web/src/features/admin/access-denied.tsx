'use client'

import Link from 'next/link'
import { useState } from 'react'
import { PageFrame } from '@/components/app/page-frame'
import button from '@/components/button.module.css'
import { SignInDialog } from '@/components/app/sign-in-dialog/sign-in-dialog'
import { paths } from '@/config/paths'
import styles from './access-denied.module.css'
import { keepLink } from './link-kept'

const look = `${button.secondary} ${button.raised} ${styles.action}`

/** Not an admin, as far as we could find out; a signed-out admin can sign in and come back. */
export function AccessDenied({ signedOut }: { signedOut: boolean }) {
  const [asking, setAsking] = useState(false)
  const ask = () => {
    keepLink()
    setAsking(true)
  }
  return (
    <PageFrame centred>
      <h1 className={styles.title}>Access Denied</h1>
      <p className={styles.reason}>You don&apos;t have admin privileges to access this page.</p>
      {signedOut ? (
        <>
          <button type="button" className={look} onClick={ask}>
            Sign In
          </button>
          <SignInDialog open={asking} onClose={() => setAsking(false)} returnTo={paths.admin} />
        </>
      ) : (
        <Link href={paths.profile} className={look}>
          Go to Profile
        </Link>
      )}
    </PageFrame>
  )
}
