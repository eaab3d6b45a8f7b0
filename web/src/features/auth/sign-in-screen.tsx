'use client'

import { useEffect, useState } from 'react'
import { NoticeScreen } from '@/components/app/notice-screen'
import { WaitingScreen } from '@/components/app/waiting-screen'
import { paths } from '@/config/paths'
import { readSignInFlow } from '@/lib/api/sign-in-flow'
import type { SignInFlow } from '@/lib/api/types'
import { AppTold } from './app-told'
import { leaveTo } from '@/lib/leave'
import { ProviderButtons } from './provider-buttons'
import { refusedApp, type SignInNotice, signInNotice, unreadableNotice } from './sign-in-notice'
import styles from './sign-in-screen.module.css'

function readFlow(search: string): Promise<SignInFlow> {
  const query = new URLSearchParams(search)
  const kind = query.get('kind') === 'registration' ? 'registration' : 'login'
  return readSignInFlow(kind, query.get('flow') ?? '')
}

/** /signin: a sign-in that needs a decision, such as linking a second provider to an account. */
export function SignInScreen() {
  const [notice, setNotice] = useState<SignInNotice | null>(null)
  const [told, setTold] = useState<string | null>(null)

  useEffect(() => {
    let left = false
    readFlow(window.location.search).then(
      (flow) => {
        if (left) return
        const app = refusedApp(flow)
        setNotice(signInNotice(flow))
        setTold(app)
        if (app) leaveTo(app)
      },
      (problem: unknown) => {
        if (!left) setNotice(unreadableNotice(problem))
      },
    )
    return () => {
      left = true
    }
  }, [])

  if (told) return <AppTold url={told} />
  if (!notice) return <WaitingScreen text="One moment..." />
  return (
    <NoticeScreen title={notice.title} text={notice.text}>
      {notice.alert && (
        <p role="alert" className={styles.refusal}>
          {notice.alert}
        </p>
      )}
      <ProviderButtons start={notice.start} offer={notice.offer} />
      <a href={paths.home}>Return to Home</a>
    </NoticeScreen>
  )
}
