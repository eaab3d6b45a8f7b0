import { useState } from 'react'
import { useDownload } from '@/features/session/use-download'
import { signInWanted } from '@/lib/api/sign-in-wanted'
import { problemText } from '@/lib/api/problem'

interface Takeout {
  busy: boolean
  /** Whether the server wants the person to sign in again first. */
  stale: boolean
  /** The name of the file that was saved last. */
  saved: string | null
  /** Why it failed, for the person. */
  error: string | null
  save: () => Promise<void>
}

const nothing = { stale: false, saved: null, error: null }

/** Downloads the person's data. */
export function useTakeout(): Takeout {
  const { busy, save } = useDownload()
  const [outcome, setOutcome] = useState<Pick<Takeout, 'stale' | 'saved' | 'error'>>(nothing)

  const takeOut = async () => {
    setOutcome(nothing)
    try {
      setOutcome({ ...nothing, saved: await save('auth/export', {}, 'fledge-data.zip') })
    } catch (problem) {
      if (signInWanted(problem)) setOutcome({ ...nothing, stale: true })
      else setOutcome({ ...nothing, error: problemText(problem) })
    }
  }

  return { busy, ...outcome, save: takeOut }
}
