import { useEffect, useRef } from 'react'
import { NoticeScreen } from '@/components/app/notice-screen'
import { WaitingScreen } from '@/components/app/waiting-screen'
import { RetryButton } from '@/components/retry-button'
import { paths } from '@/config/paths'
import { site } from '@/config/site'
import type { AppRequest } from './app-request'
import { handOffFailure } from './hand-off-failure'
import { OpenApp } from './open-app'
import { useAppOpener } from './use-app-opener'

interface HandOffProps {
  app: AppRequest
  /** Opens the app without being asked to; otherwise it has been opened before. */
  atOnce: boolean
  onOpened: () => void
}

/** Hands the session over to the app, and again whenever the person asks for it. */
export function HandOff({ app, atOnce, onOpened }: HandOffProps) {
  const { busy, opened, problem, open } = useAppOpener(app, onOpened, !atOnce)
  const started = useRef(false)

  useEffect(() => {
    if (started.current || !atOnce) return
    started.current = true
    void open()
  }, [open, atOnce])

  const failure = problem === null ? null : handOffFailure(problem)
  if (opened) return <OpenApp open={() => void open()} busy={busy} error={failure?.text} />
  if (!failure) return <WaitingScreen text="Signing you in..." />
  return (
    <NoticeScreen
      title={`${site.name} on your Mac isn't signed in yet`}
      text={failure.text}
      announce
    >
      {failure.again && <RetryButton variant="primary" onRetry={() => void open()} />}
      <a href={paths.home}>Return to Home</a>
    </NoticeScreen>
  )
}
