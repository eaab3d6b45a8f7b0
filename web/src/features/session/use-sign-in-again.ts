import { useCallback, useState } from 'react'
import { problemText } from '@/lib/api/problem'
import { startSignIn } from '@/lib/api/sign-in'
import { returnToPage } from '@/lib/auth/return-to'
import { leaveTo } from '@/lib/leave'
import { usePageRestored } from '@/lib/use-page-restored'
import { useAuth } from './use-auth'

/**
 * A sign-in with the provider of the last one, which asks although there is a session, and leads back to the page at
 * `path`.
 */
export function useSignInAgain(path: string) {
  const { user } = useAuth()
  const [starting, setStarting] = useState(false)
  const [error, setError] = useState<string | null>(null)

  usePageRestored(useCallback(() => setStarting(false), []))

  const start = async () => {
    setStarting(true)
    setError(null)
    const provider = user?.app_metadata.provider === 'apple' ? 'apple' : 'google'
    try {
      const target = { return_to: returnToPage(path) }
      leaveTo(await startSignIn(provider, target, { refresh: true }))
    } catch (problem) {
      setError(problemText(problem))
      setStarting(false)
    }
  }

  return { start, starting, error }
}
