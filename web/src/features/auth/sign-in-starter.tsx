'use client'

import { Button } from '@chakra-ui/react'
import { useEffect, useRef, useState } from 'react'
import { NoticeScreen } from '@/components/app/notice-screen'
import { WaitingScreen } from '@/components/app/waiting-screen'
import { paths } from '@/config/paths'
import { isProblem } from '@/lib/api/problem'
import { startSignIn } from '@/lib/api/sign-in'
import type { Provider } from '@/lib/api/types'
import { returnToApp } from '@/lib/auth/return-to'
import { type AppLink, appLink, withError } from './callback-link'
import { leaveTo } from './leave'

const FAILED = 'Authentication failed'

type Refusal = 'incomplete' | 'foreign'

const refusals: Record<Refusal, string> = {
  incomplete: 'This address is not complete. Go back to the app on your Mac and start again.',
  foreign: 'This address does not lead back to the app. Go back to your Mac and start again.',
}

function isProvider(value: string): value is Provider {
  return value === 'google' || value === 'apple'
}

/** Where the browser goes next, or why it stays. */
async function begin(search: string): Promise<{ url: string } | { refusal: Refusal }> {
  const query = new URLSearchParams(search)
  const provider = query.get('provider')
  const callback = query.get('callback')
  if (!provider || !callback) {
    console.error('Sign-in needs the parameters provider and callback')
    return { refusal: 'incomplete' }
  }
  const link = appLink(callback)
  if (!link) {
    console.error('Sign-in was refused: the callback is not a link of the app')
    return { refusal: 'foreign' }
  }
  return { url: await nextStop(provider, link, query.get('state')) }
}

/** The address of the provider's page, or of the app with what went wrong. */
async function nextStop(provider: string, link: AppLink, state: string | null): Promise<string> {
  if (!isProvider(provider)) return withError(link, { error: FAILED, state })
  try {
    return await startSignIn(provider, { return_to: returnToApp(link, state) })
  } catch (problem) {
    const words = isProblem(problem) && problem.kind === 'answer' ? problem.text : undefined
    return withError(link, { error: words ?? FAILED, state })
  }
}

/** /auth: where the desktop app sends the browser to sign in (spec section 2). */
export function SignInStarter() {
  const started = useRef(false)
  const [refusal, setRefusal] = useState<Refusal | null>(null)

  useEffect(() => {
    // A second start would make the first one fail, so remounting must not cause one.
    if (started.current) return
    started.current = true
    void begin(window.location.search).then((next) => {
      if ('url' in next) leaveTo(next.url)
      else setRefusal(next.refusal)
    })
  }, [])

  if (!refusal) return <WaitingScreen text="Redirecting to authentication..." />
  return (
    <NoticeScreen title="Sign-in can't start here" text={refusals[refusal]}>
      <Button asChild variant="outline">
        <a href={paths.home}>Return to Home</a>
      </Button>
    </NoticeScreen>
  )
}
