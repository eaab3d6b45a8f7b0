'use client'

import { Button, Text } from '@chakra-ui/react'
import { useRouter } from 'next/navigation'
import { useEffect, useRef, useState } from 'react'
import { NoticeScreen } from '@/components/app/notice-screen'
import { WaitingScreen } from '@/components/app/waiting-screen'
import { paths } from '@/config/paths'
import { site } from '@/config/site'
import { useSession } from '@/features/session/session-provider'
import { type CallbackOutcome, readCallbackRequest, runCallback } from './callback-flow'
import { leaveTo } from './leave'

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** /auth/callback: where a sign-in comes back to, and goes on to the app or to a page. */
export function CallbackScreen() {
  const session = useSession()
  const router = useRouter()
  const started = useRef(false)
  const [outcome, setOutcome] = useState<CallbackOutcome | null>(null)

  useEffect(() => {
    if (started.current) return
    started.current = true
    const request = readCallbackRequest(new URL(window.location.href), document.referrer)
    // Tokens must not stay in the address bar, the history, or anything that reads them.
    if (window.location.hash) {
      window.history.replaceState(null, '', window.location.pathname + window.location.search)
    }
    const readSession = async () => session.session ?? (await session.read().catch(() => null))
    void runCallback(request, { readSession, wait }).then((decided) => {
      setOutcome(decided)
      if (decided.kind === 'app') leaveTo(decided.url)
      if (decided.kind === 'page') router.replace(decided.path)
    })
  }, [session, router])

  if (outcome?.kind === 'refused') return <Refused />
  if (outcome?.kind === 'app') {
    return outcome.signedIn ? <Opened url={outcome.url} /> : <Failed url={outcome.url} />
  }
  return <WaitingScreen text="Signing you in..." />
}

function Opened({ url }: { url: string }) {
  return (
    <NoticeScreen
      title="Authentication Successful!"
      text="You can now return to the app on your Mac"
    >
      <OpenApp url={url} />
      <Text color="quiet" fontSize="sm" maxW="26rem">
        Nothing happened? Check your Mac: your browser may be asking whether it may open {site.name}
        .
      </Text>
    </NoticeScreen>
  )
}

function Failed({ url }: { url: string }) {
  return (
    <NoticeScreen
      title="Sign-in didn't work"
      text="Go back to the app on your Mac, which says what went wrong and lets you try again."
    >
      <OpenApp url={url} />
    </NoticeScreen>
  )
}

function OpenApp({ url }: { url: string }) {
  return <Button onClick={() => leaveTo(url)}>Open {site.name} on your Mac</Button>
}

function Refused() {
  return (
    <NoticeScreen
      title="This link can't be opened"
      text="It does not lead back to the app on your Mac. Start the sign-in again from there."
    >
      <Button asChild variant="outline">
        <a href={paths.home}>Return to Home</a>
      </Button>
    </NoticeScreen>
  )
}
