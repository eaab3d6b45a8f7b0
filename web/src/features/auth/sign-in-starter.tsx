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
import { takeSignInAddress } from '@/lib/auth/sign-in-address'
import { type AppRequest, readAppRequest, withError } from './app-request'
import { leaveTo } from './leave'
import { rememberApp } from './pending-app'

const FAILED = 'Authentication failed'

type Refusal = 'incomplete' | 'invalid'

const refusals: Record<Refusal, string> = {
  incomplete: 'This address is not complete. Go back to the app on your Mac and start again.',
  invalid: 'This address does not lead back to the app. Go back to your Mac and start again.',
}

function isProvider(value: string | undefined): value is Provider {
  return value === 'google' || value === 'apple'
}

/** Where the browser goes next, or why it stays. */
async function begin(query: URLSearchParams): Promise<{ url: string } | { refusal: Refusal }> {
  if (!query.get('provider') || !query.get('callback')) {
    console.error('Sign-in needs the parameters provider and callback')
    return { refusal: 'incomplete' }
  }
  const app = readAppRequest(query)
  if (!app || app === 'invalid') {
    console.error('Sign-in was refused: the callback is not a link of the app')
    return { refusal: 'invalid' }
  }
  return { url: await nextStop(query.getAll('provider'), app) }
}

/** The address of the provider's page, or of the app with what went wrong. */
async function nextStop([provider, ...others]: string[], app: AppRequest): Promise<string> {
  if (!isProvider(provider) || others.length > 0) return withError(app, { error: FAILED })
  try {
    const url = await startSignIn(provider, { return_to: returnToApp(app) })
    rememberApp(app)
    return url
  } catch (problem) {
    const words = isProblem(problem) && problem.kind === 'answer' ? problem.text : undefined
    return withError(app, { error: words ?? FAILED })
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
    void begin(takeSignInAddress().searchParams).then((next) => {
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
