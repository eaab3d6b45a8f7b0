import { useState } from 'react'
import { deletionNotice } from '@/features/session/deletion-notice'
import { useSession } from '@/features/session/session-provider'
import { useDeleteAccountMutation } from '@/lib/api/account-api'
import { answerOf, problemText } from '@/lib/api/problem'
import { signInWanted } from '@/lib/api/sign-in-wanted'

const LAST_ADMIN = 'You are the only admin. Make somebody else an admin first.'

const failureText = (error: unknown) =>
  answerOf(error)?.code === 'last_admin' ? LAST_ADMIN : problemText(error)

export interface Deletion {
  busy: boolean
  /** Whether the server wants the person to sign in again first. */
  stale: boolean
  /** Why it failed, for the person. */
  error: string | null
  confirm: () => Promise<void>
}

/** Deletes the account, after which this browser is signed out in all tabs. */
export function useDeletion(): Deletion {
  const session = useSession()
  const [deleteAccount, { isLoading: busy }] = useDeleteAccountMutation()
  const [stale, setStale] = useState(false)
  const [error, setError] = useState<string | null>(null)

  const confirm = async () => {
    setError(null)
    try {
      const { eraseAt } = await deleteAccount().unwrap()
      deletionNotice.set(eraseAt)
      session.ended()
    } catch (problem) {
      if (signInWanted(problem)) setStale(true)
      else setError(failureText(problem))
    }
  }

  return { busy, stale, error, confirm }
}
