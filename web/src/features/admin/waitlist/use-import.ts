import { useRef, useState } from 'react'
import { toastError, toastSuccess } from '@/components/app/toast'
import { NETWORK_ERROR } from '@/lib/api/messages'
import { problemText } from '@/lib/api/problem'
import type { ImportPreview, ImportReport } from '@/lib/api/types'
import {
  type ImportColumns,
  useImportWaitlistUsersMutation,
  usePreviewWaitlistImportMutation,
} from '@/lib/api/waitlist-api'
import { guardUnload } from '@/lib/guard-unload'
import { whole } from '@/lib/numbers'
import { useShown } from '../use-shown'

/** The API's maximum size of a file: 10 MiB. */
export const MAX_IMPORT_BYTES = 10 * 1024 * 1024

/**
 * A file of people on its way into the waitlist: first a preview, then the import, which continues while another tab of
 * the dashboard is shown, and then ends with a toast.
 */
export function useImport() {
  const [file, setFile] = useState<File | null>(null)
  const [columns, setColumns] = useState<ImportColumns>({})
  const [preview, setPreview] = useState<ImportPreview | null>(null)
  const [report, setReport] = useState<ImportReport | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  const [looking, setLooking] = useState(false)
  /** While the preview is of other columns than those that were chosen since: nothing can be imported. */
  const [stale, setStale] = useState(false)
  const [busy, setBusy] = useState(false)
  const [look] = usePreviewWaitlistImportMutation()
  const [send] = useImportWaitlistUsersMutation()
  /** The number of the latest preview: an earlier one that comes later is dropped. */
  const latest = useRef(0)
  const shown = useShown()

  const show = async (chosen: File, given: ImportColumns) => {
    const number = ++latest.current
    setReport(null)
    setFailure(null)
    setLooking(true)
    setStale(true)
    let found: ImportPreview | null = null
    let problem: string | null = null
    try {
      found = await look({ body: await bytesOf(chosen), columns: given }).unwrap()
    } catch (error) {
      problem = textOf(error, 'Failed to read the file')
    }
    if (number !== latest.current) return
    setLooking(false)
    setFailure(problem)
    if (!found) return // the earlier preview stays, by which the columns can be corrected again
    setPreview(found)
    setStale(false)
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
    if (!file || !preview || stale || busy) return
    setBusy(true)
    setReport(null)
    setFailure(null)
    const release = guardUnload()
    const { email, joined, status, source, dayFirst } = preview
    const dates = dayFirst ? ('day_first' as const) : ('month_first' as const)
    try {
      const body = await bytesOf(file)
      const columns = { email, joined, status, source, dates }
      const made = await send({ body, columns }).unwrap()
      setReport(made)
      if (!shown.current) toastSuccess(`${file.name} was imported`, summaryOf(made))
    } catch (error) {
      const text = textOf(error, 'Failed to import the file')
      setFailure(text)
      if (!shown.current) toastError(text)
    }
    release()
    setBusy(false)
  }
  return { file, preview, report, failure, looking, stale, busy, columns, choose, correct, start }
}

function summaryOf({ added, known, invalid }: ImportReport): string {
  const counts = `${whole(added)} added, ${whole(known)} known, ${whole(invalid)} failed.`
  return invalid === 0 ? counts : `${counts} Import it again to see which.`
}

/** That a file on this machine cannot be read. */
class Unreadable extends Error {}

async function bytesOf(file: File): Promise<ArrayBuffer> {
  try {
    return await file.arrayBuffer()
  } catch {
    throw new Unreadable(`${file.name} could not be read.`)
  }
}

const textOf = (error: unknown, fallback: string): string =>
  error instanceof Unreadable ? error.message : problemText(error, fallback, NETWORK_ERROR)
