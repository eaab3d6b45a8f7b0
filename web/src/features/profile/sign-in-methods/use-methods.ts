import { useCallback, useEffect, useState } from 'react'
import { toastSuccess } from '@/components/app/toast'
import { paths } from '@/config/paths'
import { useSession } from '@/features/session/session-provider'
import { useAuth } from '@/features/session/use-auth'
import { useSignInAgain } from '@/features/session/use-sign-in-again'
import { useUnlinkProviderMutation } from '@/lib/api/account-api'
import { problemText } from '@/lib/api/problem'
import { startSignIn } from '@/lib/api/sign-in'
import { signInWanted } from '@/lib/api/sign-in-wanted'
import type { Provider } from '@/lib/api/types'
import { returnToPage } from '@/lib/auth/return-to'
import { leaveTo } from '@/lib/leave'
import { expiringItem } from '@/lib/storage'
import { usePageRestored } from '@/lib/use-page-restored'
import { titled } from '@/lib/words'

/** What waits for the person to agree. */
export type Question = { kind: 'remove'; provider: Provider } | { kind: 'sign-in' }

/** The provider that this tab has left for to add it, and whose account it is for: another person may come back. */
const leftFor = expiringItem('fledge_added_provider', 15 * 60_000)

/** Untrusted, as it comes from storage. */
const awaitedOf = () => (leftFor.get() ?? {}) as { provider?: unknown; user_id?: unknown }

/** Adds and removes providers; both need a fresh sign-in, which it leads through. `onChange` follows a removal. */
export function useMethods(onChange: () => void) {
  const session = useSession()
  const { user } = useAuth()
  const again = useSignInAgain(paths.signInMethods)
  const [unlink] = useUnlinkProviderMutation()
  const [question, setQuestion] = useState<Question | null>(null)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const [awaited] = useState(awaitedOf)
  useEffect(() => leftFor.remove(), [])

  usePageRestored(useCallback(() => setBusy(false), []))

  const attempt = async (task: () => Promise<void>) => {
    setBusy(true)
    setError(null)
    try {
      await task()
    } catch (problem) {
      if (signInWanted(problem)) setQuestion({ kind: 'sign-in' })
      else setError(problemText(problem))
      setBusy(false)
    }
  }

  // While the browser is on its way to the provider, the buttons stay busy.
  const add = (provider: Provider) =>
    attempt(async () => {
      const target = { return_to: returnToPage(paths.signInMethods), user_id: user?.id ?? '' }
      const address = await startSignIn(provider, target, { link: true })
      leftFor.set({ provider, user_id: user?.id })
      leaveTo(address)
    })

  const remove = (provider: Provider) =>
    attempt(async () => {
      session.updateUser(await unlink(provider).unwrap())
      setQuestion(null)
      setBusy(false)
      onChange()
      toastSuccess(`${titled(provider)} was removed`)
    })

  const confirm = () => (question?.kind === 'remove' ? remove(question.provider) : again.start())

  const ask = (next: Question) => {
    setError(null)
    setQuestion(next)
  }

  const cancel = () => {
    setError(null)
    setQuestion(null)
  }

  return {
    question,
    /** Whether the person comes back from a provider that was added. */
    added:
      user?.id === awaited.user_id &&
      (user?.identities.some(({ provider }) => provider === awaited.provider) ?? false),
    busy: busy || again.starting,
    error: error ?? again.error,
    add,
    ask,
    confirm,
    cancel,
  }
}
