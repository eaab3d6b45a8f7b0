'use client'

import { type ReactNode, useEffect, useState } from 'react'
import { NoticeScreen } from '@/components/app/notice-screen'
import { ProviderButtons } from '@/components/app/provider-buttons/provider-buttons'
import { WaitingScreen } from '@/components/app/waiting-screen'
import { readSignInError } from '@/lib/api/sign-in-flow'
import type { SignInErrorCode } from '@/lib/api/types'
import { learnAppLinks } from '@/lib/auth/return-to'
import { type AppRequest, withError } from './app-request'
import { BackToApp } from './back-to-app'
import { disabledAccount } from './disabled-account'
import { HomeLink } from './home-link'
import { noteStart, pendingSignIn, returnAgain } from './pending-app'
import { notVerified } from './sign-in-notice'

/** One fixed text for each reason: what the identity server words never reaches the page. */
const notices: Record<SignInErrorCode, { title: string; text: () => ReactNode }> = {
  email_not_verified: { title: notVerified.title, text: () => notVerified.text },
  account_disabled: disabledAccount,
  sign_in_expired: {
    title: 'That took too long',
    text: () => 'A sign-in has to be finished within half an hour. Please start again.',
  },
  sign_in_interrupted: {
    title: 'The sign-in was interrupted',
    text: () =>
      'It may have been started again in another tab, or in another browser. Finish it there, or start again here.',
  },
  unknown: {
    title: "Sign-in didn't work",
    text: () => 'Something went wrong. Please try again.',
  },
}

/** Why a sign-in ended at this address: what the gateway knew by itself, or what it says of the error with the id. */
async function readReason(query: URLSearchParams): Promise<SignInErrorCode> {
  const id = query.get('id')
  if (id) return readSignInError(id)
  return query.get('error_code') === 'sign_in_interrupted' ? 'sign_in_interrupted' : 'unknown'
}

/** /auth/error: where a sign-in ends that could not be finished, with a way to start again. */
export function AuthErrorScreen() {
  const [failure, setFailure] = useState<{ code: SignInErrorCode; app: AppRequest | null }>()

  useEffect(() => {
    let left = false
    const fail = (code: SignInErrorCode) =>
      !left && setFailure({ code, app: pendingSignIn()?.app ?? null })
    const reading = readReason(new URLSearchParams(window.location.search))
    // Without the further links, an app at one of them is not led back to.
    void Promise.all([reading, learnAppLinks().catch(() => {})]).then(
      ([code]) => fail(Object.hasOwn(notices, code) ? code : 'unknown'),
      () => fail('unknown'),
    )
    return () => {
      left = true
    }
  }, [])

  if (!failure) return <WaitingScreen text="One moment..." />
  const { code, app } = failure
  return (
    <NoticeScreen title={notices[code].title} text={notices[code].text()}>
      {code !== 'account_disabled' && (
        <ProviderButtons start={{ return_to: returnAgain(app) }} onStarted={noteStart} />
      )}
      {app && <BackToApp url={withError(app, appError(code))} variant="secondary" />}
      <HomeLink quiet />
    </NoticeScreen>
  )
}

function appError(code: SignInErrorCode) {
  return { error: 'server_error', error_code: code, error_description: notices[code].title }
}
