import { useState } from 'react'
import { toastSuccess } from '@/components/app/toast'
import { paths } from '@/config/paths'
import { useSignInAgain } from '@/features/session/use-sign-in-again'
import { problemText } from '@/lib/api/problem'
import {
  useBeginSecondFactorMutation,
  useCreateRecoveryCodesMutation,
  useRemoveSecondFactorMutation,
} from '@/lib/api/second-factor-api'
import { signInWanted } from '@/lib/api/sign-in-wanted'
import type { SecondFactorEnrolment } from '@/lib/api/types'

/** What a dialog shows. */
type Question =
  | { kind: 'enrol'; enrolment: SecondFactorEnrolment }
  | { kind: 'codes'; codes: string[] }
  | { kind: 'remove' | 'sign-in' | 'code' }

/** Whether it is a question that is answered with yes or no. */
export const isAsked = (question: Question | null) =>
  question?.kind === 'remove' || question?.kind === 'sign-in'

/** Changes of the second factor, each of which may want a fresh sign-in, or a code, first. `onChange` follows each. */
export function useSecondFactor(onChange: () => void) {
  const again = useSignInAgain(paths.secondFactor)
  const [begin] = useBeginSecondFactorMutation()
  const [create] = useCreateRecoveryCodesMutation()
  const [remove] = useRemoveSecondFactorMutation()
  const [question, setQuestion] = useState<Question | null>(null)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)

  const attempt = async (task: () => Promise<Question | null>) => {
    setBusy(true)
    setError(null)
    try {
      setQuestion(await task())
    } catch (problem) {
      const wanted = signInWanted(problem)
      if (wanted) setQuestion({ kind: wanted === 'code' ? 'code' : 'sign-in' })
      else setError(problemText(problem))
    }
    setBusy(false)
  }

  const enrol = () => attempt(async () => ({ kind: 'enrol', enrolment: await begin().unwrap() }))

  const createCodes = () => {
    setQuestion(null)
    return attempt(async () => {
      const made = await create().unwrap()
      onChange()
      return { kind: 'codes', ...made }
    })
  }

  const confirm = () => {
    if (question?.kind !== 'remove') return again.start()
    return attempt(async () => {
      await remove().unwrap()
      onChange()
      toastSuccess('Your second factor was removed')
      return null
    })
  }

  return {
    question,
    busy: busy || again.starting,
    error: error ?? again.error,
    enrol,
    createCodes,
    added: () => {
      onChange()
      return createCodes()
    },
    confirm,
    askToRemove: () => {
      setError(null)
      setQuestion({ kind: 'remove' })
    },
    close: () => {
      setError(null)
      setQuestion(null)
    },
    /** The dialog that asks closes too when another one takes its place. */
    closeAsked: () => {
      setError(null)
      setQuestion((now) => (isAsked(now) ? null : now))
    },
  }
}
