import { useState } from 'react'
import { NETWORK_ERROR } from '@/lib/api/messages'
import { problemText } from '@/lib/api/problem'
import type { ImportReport } from '@/lib/api/types'
import { guardUnload } from '@/lib/guard-unload'
import { useImportWaitlistUsersMutation } from '@/lib/api/waitlist-api'

/** The API's maximum size of a file: 10 MiB. */
export const MAX_IMPORT_BYTES = 10 * 1024 * 1024

/** A file of addresses on its way into the waitlist. */
export function useImport() {
  const [file, setFile] = useState<File | null>(null)
  const [report, setReport] = useState<ImportReport | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  const [send, { isLoading: busy }] = useImportWaitlistUsersMutation()

  const choose = (chosen: File | undefined) => {
    if (!chosen || busy) return
    const tooLarge = chosen.size > MAX_IMPORT_BYTES
    setFile(tooLarge ? null : chosen)
    setReport(null)
    setFailure(tooLarge ? `${chosen.name} is larger than 10 MiB.` : null)
  }

  const start = async () => {
    if (!file || busy) return
    setReport(null)
    setFailure(null)
    const bytes = await file.arrayBuffer().catch(() => null)
    if (!bytes) {
      setFailure(`${file.name} could not be read.`)
      return
    }
    const release = guardUnload()
    try {
      setReport(await send(bytes).unwrap())
    } catch (error) {
      setFailure(problemText(error, 'Failed to import the file', NETWORK_ERROR))
    }
    release()
  }
  return { file, report, failure, busy, choose, start }
}
