import { useCallback, useState } from 'react'
import { toastSuccess } from '@/components/app/toast'
import { paths } from '@/config/paths'
import { useSession } from '@/features/session/session-provider'
import { useAuth } from '@/features/session/use-auth'
import { needsFreshSignIn, useUnlinkProviderMutation } from '@/lib/api/account-api'
import { NETWORK_ERROR, SOMETHING_WRONG } from '@/lib/api/messages'
import { problemText } from '@/lib/api/problem'
import { startSignIn } from '@/lib/api/sign-in'
import type { Provider } from '@/lib/api/types'
import { returnToPage } from '@/lib/auth/return-to'
import { leaveTo } from '@/lib/leave'
import { usePageRestored } from '@/lib/use-page-restored'
import { methodName } from './method-row'

/** What waits for the person to agree. */
export type Question = { kind: 'remove'; provider: Provider } | { kind: 'sign-in' }

/** Adds and removes providers; both need a fresh sign-in, which it leads through. */
export function useMethods() {
  const session = useSession()
  const { user } = useAuth()
  const [unlink] = useUnlinkProviderMutation()
  const [question, setQuestion] = useState<Question | null>(null)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)

  usePageRestored(useCallback(() => setBusy(false), []))

  const attempt = async (task: () => Promise<void>) => {
    setBusy(true)
    setError(null)
    try {
      await task()
    } catch (problem) {
      if (needsFreshSignIn(problem)) setQuestion({ kind: 'sign-in' })
      else setError(problemText(problem, SOMETHING_WRONG, NETWORK_ERROR))
      setBusy(false)
    }
  }

  const target = { return_to: returnToPage(paths.signInMethods) }

  // While the browser is on its way to the provider, the buttons stay busy.
  const add = (provider: Provider) =>
    attempt(async () => {
      leaveTo(await startSignIn(provider, { ...target, user_id: user?.id ?? '' }, { link: true }))
    })

  const signInAgain = () =>
    attempt(async () => {
      const provider = user?.app_metadata.provider === 'apple' ? 'apple' : 'google'
      leaveTo(await startSignIn(provider, target, { refresh: true }))
    })

  const remove = (provider: Provider) =>
    attempt(async () => {
      await unlink(provider).unwrap()
      // The session says what is left, in every tab.
      await session.renew()
      setQuestion(null)
      setBusy(false)
      toastSuccess(`${methodName(provider)} was removed`)
    })

  const confirm = () => (question?.kind === 'remove' ? remove(question.provider) : signInAgain())

  const ask = (next: Question) => {
    setError(null)
    setQuestion(next)
  }

  const cancel = () => {
    setError(null)
    setQuestion(null)
  }

  return { question, busy, error, add, ask, confirm, cancel }
}
