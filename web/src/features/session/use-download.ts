import { useEffect, useRef, useState } from 'react'
import { download, saveFile } from '@/lib/api/download'
import { useSession } from './session-provider'

/** Saves files that the API writes for the person. Leaving the page ends it. */
export function useDownload() {
  const { tokens } = useSession()
  const [busy, setBusy] = useState(false)
  const leaving = useRef<AbortController>(null)

  useEffect(() => {
    const controller = new AbortController()
    leaving.current = controller
    return () => controller.abort()
  }, [])

  /** Resolves to the name of the file, or to null when the page was left; rejects with a `Problem`. */
  const save = async (route: string, params: Record<string, string>, fallbackName: string) => {
    const signal = leaving.current?.signal ?? AbortSignal.abort()
    setBusy(true)
    try {
      const file = await download(route, params, tokens, { fallbackName, signal })
      saveFile(file)
      return file.name
    } catch (problem) {
      if (signal.aborted) return null
      throw problem
    } finally {
      setBusy(false)
    }
  }

  return { busy, save }
}
