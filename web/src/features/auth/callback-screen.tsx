'use client'

import { NoticeScreen } from '@/components/app/notice-screen'
import { WaitingScreen } from '@/components/app/waiting-screen'
import button from '@/components/button.module.css'
import { paths } from '@/config/paths'
import { site } from '@/config/site'
import { Unreachable } from '@/features/session/unreachable'
import { AppNotified } from './app-notified'
import type { Refusal } from './callback-flow'
import { HandOff } from './hand-off'
import { OpenApp } from './open-app'
import { markOpened } from './opened'
import { useCallbackFlow } from './use-callback-flow'

/** /auth/callback: where a sign-in comes back to, and goes on to the app or to a page. */
export function CallbackScreen() {
  const { outcome, open } = useCallbackFlow()

  switch (outcome?.kind) {
    case 'refused':
      return <Refused refusal={outcome.refusal} />
    case 'unreachable':
      return <Unreachable />
    case 'hand-off':
      return <HandOff app={outcome.app} atOnce={outcome.atOnce} onOpened={markOpened} />
    case 'app':
      if (!outcome.signedIn) return <AppNotified url={outcome.url} />
      if (!outcome.atOnce) return <AskFirst onContinue={open} />
      return <OpenApp open={open} />
    default:
      return <WaitingScreen text="Signing you in..." />
  }
}

/** Tokens that came with a link which nobody here asked for. */
function AskFirst({ onContinue }: { onContinue: () => void }) {
  return (
    <NoticeScreen
      title={`Sign in to ${site.name} on your Mac?`}
      text="This link signs the app in. Continue only if you started that yourself a moment ago."
      announce
    >
      <button
        type="button"
        className={button.primary}
        data-event="continue_to_app"
        onClick={onContinue}
      >
        Continue
      </button>
    </NoticeScreen>
  )
}

const refusals: Record<Refusal, string> = {
  invalid:
    'The link does not lead back to the app on your Mac. Start the sign-in again from there.',
  unreadable:
    'The link does not say which account signed in. Start the sign-in again from the app on your Mac.',
  'tokens-off':
    'The link uses a sign-in method that is no longer accepted. Update the app on your Mac, then start again from there.',
}

function Refused({ refusal }: { refusal: Refusal }) {
  return (
    <NoticeScreen title="This link can't be opened" text={refusals[refusal]}>
      <a
        href={paths.home}
        className={`${button.secondary} ${button.raised}`}
        data-event="return_home"
      >
        Return to Home
      </a>
    </NoticeScreen>
  )
}
