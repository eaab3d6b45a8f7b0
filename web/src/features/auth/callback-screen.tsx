'use client'

import { useState } from 'react'
import { NoticeScreen } from '@/components/app/notice-screen'
import { UnreachableScreen } from '@/components/app/unreachable-screen'
import { WaitingScreen } from '@/components/app/waiting-screen'
import { Unreachable } from '@/features/session/unreachable'
import type { User } from '@/lib/api/types'
import { leaveTo } from '@/lib/leave'
import { AppNotified } from './app-notified'
import type { AppRequest } from './app-request'
import type { Refusal } from './callback-flow'
import { Consent } from './consent'
import { disabledAccount } from './disabled-account'
import { HandOff } from './hand-off'
import { HomeLink } from './home-link'
import { OpenApp } from './open-app'
import { useCallbackFlow } from './use-callback-flow'

/** /auth/callback: where a sign-in comes back to, and goes on to the app or to a page. */
export function CallbackScreen() {
  const { outcome, retry, retrying } = useCallbackFlow()

  switch (outcome?.kind) {
    case 'refused':
      return <Refused refusal={outcome.refusal} />
    case 'unreachable':
      return <Unreachable />
    case 'unverified':
      return <UnreachableScreen retrying={retrying} onRetry={() => void retry()} />
    case 'hand-off':
      return <HandOff app={outcome.app} atOnce={outcome.atOnce} />
    case 'tokens':
      return <PassOn {...outcome} />
    case 'failed':
      return <AppNotified url={outcome.url} />
    default:
      return <WaitingScreen text="Signing you in..." />
  }
}

/** Tokens that came with a link, which anybody can make: they go to the app when the person agrees. */
function PassOn({ app, url, owner }: { app: AppRequest; url: string; owner: User }) {
  const [opened, setOpened] = useState(false)
  const open = () => {
    setOpened(true)
    leaveTo(url)
  }
  if (opened) return <OpenApp account={owner.email} open={open} />
  return <Consent app={app} account={owner.email} onContinue={open} />
}

const refusals: Record<Exclude<Refusal, 'disabled'>, string> = {
  invalid:
    'The link does not lead back to the app on your Mac. Start the sign-in again from there.',
  'not-verified':
    'We could not verify which account signed in. Start the sign-in again from the app on your Mac.',
  'tokens-off':
    'The link uses a sign-in method that is no longer accepted. Update the app on your Mac, then start again from there.',
}

function Refused({ refusal }: { refusal: Refusal }) {
  if (refusal === 'disabled')
    return (
      <NoticeScreen title={disabledAccount.title} text={disabledAccount.text()}>
        <HomeLink />
      </NoticeScreen>
    )
  return (
    <NoticeScreen title="This link can't be opened" text={refusals[refusal]}>
      <HomeLink />
    </NoticeScreen>
  )
}
