import { useEffect, useRef, useState } from 'react'
import { NoticeScreen } from '@/components/app/notice-screen'
import { WaitingScreen } from '@/components/app/waiting-screen'
import { RetryButton } from '@/components/retry-button'
import { site } from '@/config/site'
import { useSession } from '@/features/session/session-provider'
import { useAuth } from '@/features/session/use-auth'
import type { Problem } from '@/lib/api/problem'
import type { User } from '@/lib/api/types'
import type { AppRequest } from './app-request'
import { Consent } from './consent'
import { handOffFailure } from './hand-off-failure'
import { HomeLink } from './home-link'
import { OpenApp } from './open-app'
import { deviceOf, rememberApp } from './pending-app'
import { useAppOpener } from './use-app-opener'

interface HandOffProps {
  app: AppRequest
  /** Opens the app without asking: the person has just signed in for it. */
  atOnce: boolean
}

const signedOut: Problem = { kind: 'no-session' }

/** Hands the session over to the app when the person agrees, and again whenever they ask for it. */
export function HandOff({ app, atOnce }: HandOffProps) {
  const session = useSession()
  const { user } = useAuth()
  const { busy, opened, problem, open } = useAppOpener(app)
  const [asking, setAsking] = useState(!atOnce)
  const started = useRef(false)

  const openFor = async (person: User) => {
    if (!(await open(person))) setAsking(true)
  }

  useEffect(() => {
    if (started.current || !atOnce || !user) return
    started.current = true
    void open(user).then((same) => setAsking(!same))
  }, [open, atOnce, user])

  const failed = problem ?? (user ? null : signedOut)
  const failure = failed === null ? null : handOffFailure(failed)
  if (opened) {
    const again = () => void openFor(opened)
    return <OpenApp account={opened.email} open={again} busy={busy} error={failure?.text} />
  }
  if (failure || !user) {
    return (
      <NoticeScreen
        title={`${site.name} on your Mac isn't signed in yet`}
        text={failure?.text}
        announce
      >
        {failure?.again && user && (
          <RetryButton variant="primary" onRetry={() => void openFor(user)} />
        )}
        <HomeLink quiet />
      </NoticeScreen>
    )
  }
  if (!asking) return <WaitingScreen text="Signing you in..." />
  return (
    <Consent
      key={user.id}
      app={app}
      account={user.email}
      busy={busy}
      onContinue={() => void openFor(user)}
      onAnother={() => rememberApp(app, session.session ? deviceOf(session.session) : null)}
    />
  )
}
