import { useRef, useState } from 'react'
import { NETWORK_ERROR } from '@/lib/api/messages'
import { problemText } from '@/lib/api/problem'
import type { ImportPreview, ImportReport } from '@/lib/api/types'
import {
  type ImportColumns,
  useImportWaitlistUsersMutation,
  usePreviewWaitlistImportMutation,
} from '@/lib/api/waitlist-api'
import { guardUnload } from '@/lib/guard-unload'

/** The API's maximum size of a file: 10 MiB. */
export const MAX_IMPORT_BYTES = 10 * 1024 * 1024

/** A file of people on its way into the waitlist: first a preview, then the import. */
export function useImport() {
  const [file, setFile] = useState<File | null>(null)
  const [columns, setColumns] = useState<ImportColumns>({})
  const [preview, setPreview] = useState<ImportPreview | null>(null)
  const [report, setReport] = useState<ImportReport | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  /** While a preview is on its way: the one shown is of other columns. */
  const [looking, setLooking] = useState(false)
  const [look] = usePreviewWaitlistImportMutation()
  const [send, { isLoading: busy }] = useImportWaitlistUsersMutation()
  /** The number of the latest preview: an earlier one that comes later is dropped. */
  const latest = useRef(0)

  const bytesOf = async (chosen: File): Promise<ArrayBuffer | null> => {
    const bytes = await chosen.arrayBuffer().catch(() => null)
    if (!bytes) setFailure(`${chosen.name} could not be read.`)
    return bytes
  }

  const show = async (chosen: File, given: ImportColumns) => {
    const number = ++latest.current
    setReport(null)
    setFailure(null)
    setLooking(true)
    const body = await bytesOf(chosen)
    let found: ImportPreview | null = null
    let problem: string | null = null
    try {
      if (body) found = await look({ body, columns: given }).unwrap()
    } catch (error) {
      problem = problemText(error, 'Failed to read the file', NETWORK_ERROR)
    }
    if (number !== latest.current) return
    setPreview(found)
    if (problem) setFailure(problem)
    setLooking(false)
  }

  const choose = (chosen: File | undefined) => {
    if (!chosen || busy) return
    latest.current++
    setLooking(false)
    setPreview(null)
    setColumns({})
    if (chosen.size > MAX_IMPORT_BYTES) {
      setFile(null)
      setReport(null)
      setFailure(`${chosen.name} is larger than 10 MiB.`)
      return
    }
    setFile(chosen)
    void show(chosen, {})
  }

  const correct = (change: ImportColumns) => {
    if (!file || busy) return
    const corrected = { ...columns, ...change }
    setColumns(corrected)
    void show(file, corrected)
  }

  const start = async () => {
    if (!file || !preview || looking || busy) return
    setReport(null)
    setFailure(null)
    const body = await bytesOf(file)
    if (!body) return
    const release = guardUnload()
    const { email, joined, status, source, dayFirst } = preview
    const dates = dayFirst ? ('day_first' as const) : ('month_first' as const)
    try {
      setReport(await send({ body, columns: { email, joined, status, source, dates } }).unwrap())
    } catch (error) {
      setFailure(problemText(error, 'Failed to import the file', NETWORK_ERROR))
    }
    release()
  }
  return { file, preview, report, failure, looking, busy, choose, correct, start }
}
