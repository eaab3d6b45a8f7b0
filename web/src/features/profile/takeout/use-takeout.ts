import { useEffect, useRef, useState } from 'react'
import { useSession } from '@/features/session/session-provider'
import { signInWanted } from '@/lib/api/sign-in-wanted'
import { download, saveFile } from '@/lib/api/download'
import { NETWORK_ERROR, SOMETHING_WRONG } from '@/lib/api/messages'
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

/** Downloads the person's data. Leaving the page ends it. */
export function useTakeout(): Takeout {
  const { tokens } = useSession()
  const [busy, setBusy] = useState(false)
  const [outcome, setOutcome] = useState<Pick<Takeout, 'stale' | 'saved' | 'error'>>(nothing)
  const leaving = useRef<AbortController>(null)

  useEffect(() => {
    const controller = new AbortController()
    leaving.current = controller
    return () => controller.abort()
  }, [])

  const save = async () => {
    const signal = leaving.current?.signal ?? AbortSignal.abort()
    setBusy(true)
    setOutcome(nothing)
    try {
      const options = { fallbackName: 'fledge-data.zip', signal }
      const file = await download('auth/export', {}, tokens, options)
      saveFile(file)
      setOutcome({ ...nothing, saved: file.name })
    } catch (problem) {
      if (signInWanted(problem)) setOutcome({ ...nothing, stale: true })
      else if (!signal.aborted) {
        setOutcome({ ...nothing, error: problemText(problem, SOMETHING_WRONG, NETWORK_ERROR) })
      }
    }
    setBusy(false)
  }

  return { busy, ...outcome, save }
}
