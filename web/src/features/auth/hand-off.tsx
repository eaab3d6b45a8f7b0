import { useEffect, useRef } from 'react'
import { NoticeScreen } from '@/components/app/notice-screen'
import { WaitingScreen } from '@/components/app/waiting-screen'
import button from '@/components/button.module.css'
import { paths } from '@/config/paths'
import { site } from '@/config/site'
import type { AppRequest } from './app-request'
import { handOffFailure } from './hand-off-failure'
import { OpenApp } from './open-app'
import { useAppOpener } from './use-app-opener'

/** Hands the session over to the app at once, and again whenever the person asks for it. */
export function HandOff({ app }: { app: AppRequest }) {
  const { busy, opened, problem, open } = useAppOpener(app)
  const started = useRef(false)

  useEffect(() => {
    if (started.current) return
    started.current = true
    void open()
  }, [open])

  const failure = problem === null ? null : handOffFailure(problem)
  if (opened) return <OpenApp open={() => void open()} busy={busy} error={failure?.text} />
  if (!failure) return <WaitingScreen text="Signing you in..." />
  return (
    <NoticeScreen
      title={`${site.name} on your Mac isn't signed in yet`}
      text={failure.text}
      announce
    >
      {failure.again && (
        <button type="button" className={button.primary} onClick={() => void open()}>
          Try again
        </button>
      )}
      <a href={paths.home}>Return to Home</a>
    </NoticeScreen>
  )
}
