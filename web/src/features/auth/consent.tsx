import { useState } from 'react'
import { AvatarPicture } from '@/components/app/avatar'
import { NoticeScreen } from '@/components/app/notice-screen'
import { ProviderButtons } from '@/components/app/provider-buttons/provider-buttons'
import { Button } from '@/components/button'
import { site } from '@/config/site'
import { isRegistered, returnToApp } from '@/lib/auth/return-to'
import type { AppRequest } from './app-request'
import styles from './consent.module.css'
import { useSeen } from './use-seen'

interface ConsentProps {
  app: AppRequest
  /** The address of the account that the app would be given. */
  account: string
  busy?: boolean
  onContinue: () => void
  /** Called before another account is chosen. */
  onAnother?: () => void
}

/** Asks whether the app may have the account: nothing but a click of the person on Continue gives it away. */
export function Consent({ app, account, busy = false, onContinue, onAnother }: ConsentProps) {
  const seen = useSeen()
  const [another, setAnother] = useState(false)

  if (another) {
    return (
      <NoticeScreen title="Sign in" text="Choose how you want to sign in." announce>
        <ProviderButtons start={{ return_to: returnToApp(app) }} refresh />
      </NoticeScreen>
    )
  }
  const { title, asks } = receiver(app.callback)
  return (
    <NoticeScreen
      title={title}
      text={`${asks} For up to 30 days it can do what you can do here, spending credits included. Continue only if you started that yourself a moment ago.`}
      announce
    >
      <p className={styles.account}>
        <AvatarPicture email={account} />
        <span>{account}</span>
      </p>
      <div className={styles.choice}>
        <Button
          size="large"
          data-event="continue_to_app"
          pending={busy}
          aria-disabled={!seen}
          onClick={onContinue}
        >
          Continue
        </Button>
        <Button
          variant="secondary"
          size="large"
          data-event="use_another_account"
          aria-disabled={!seen || busy}
          onClick={() => {
            onAnother?.()
            setAnother(true)
          }}
        >
          Use another account
        </Button>
      </div>
    </NoticeScreen>
  )
}

/** The operating system knows who owns the registered link; who listens on a loopback address, nobody does. */
function receiver(callback: string) {
  if (isRegistered(callback)) {
    return {
      title: `Sign in to ${site.name} on your Mac?`,
      asks: `${site.name} on your Mac (${callback}) will be signed in with this account.`,
    }
  }
  return {
    title: 'Sign in a program on this computer?',
    asks: `A program that waits at ${callback} will be signed in with this account.`,
  }
}
