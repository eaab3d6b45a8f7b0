import { useRef, useState } from 'react'
import { toastError, toastSuccess } from '@/components/app/toast'
import { NETWORK_ERROR, problemText } from '@/lib/api/problem'
import type { ImportPreview, ImportReading, ImportReport } from '@/lib/api/types'
import {
  useImportWaitlistUsersMutation,
  usePreviewWaitlistImportMutation,
} from '@/lib/api/waitlist-api'
import { guardUnload } from '@/lib/guard-unload'
import { whole } from '@/lib/numbers'
import { useShown } from '../use-shown'
import { PART_CHARACTERS, partsOf } from './file-parts'

/** The maximum size of a file: a million lines have about 100 MiB. It is sent in parts. */
export const MAX_IMPORT_BYTES = 200 * 1024 * 1024

/** How many of the lines that failed are kept. */
const MAX_FAILED_LINES = 50_000

/** How far the import of a file is that has several parts, in bytes. */
export interface ImportProgress {
  read: number
  size: number
}

/**
 * A file of people on its way into the waitlist: first a preview, then the import, which continues while another tab of
 * the dashboard is shown, and then ends with a toast.
 */
export function useImport() {
  const [file, setFile] = useState<File | null>(null)
  const [columns, setColumns] = useState<ImportReading>({})
  const [preview, setPreview] = useState<ImportPreview | null>(null)
  /** Whether the preview is of the beginning of the file alone. */
  const [partial, setPartial] = useState(false)
  const [report, setReport] = useState<ImportReport | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  const [looking, setLooking] = useState(false)
  /** While the preview is of other columns than those that were chosen since: nothing can be imported. */
  const [stale, setStale] = useState(false)
  const [busy, setBusy] = useState(false)
  const [progress, setProgress] = useState<ImportProgress | null>(null)
  /** Whether the person wants the import to end after the part that is on its way. */
  const [stopping, setStopping] = useState(false)
  const stopped = useRef(false)
  const [look] = usePreviewWaitlistImportMutation()
  const [send] = useImportWaitlistUsersMutation()
  /** The number of the latest preview: an earlier one that comes later is dropped. */
  const latest = useRef(0)
  /** The columns that the preview is of. */
  const previewed = useRef<ImportReading>({})
  const asking = useRef<{ abort: () => void } | null>(null)
  const shown = useShown()

  const show = async (chosen: File, given: ImportReading) => {
    const number = ++latest.current
    setReport(null)
    setFailure(null)
    setLooking(true)
    setStale(true)
    let found: ImportPreview | null = null
    let whole = true
    let problem: string | null = null
    try {
      const { body, last } = await firstOf(chosen)
      if (number !== latest.current) return
      whole = last
      const asked = look({ body, columns: given })
      asking.current = asked
      found = await asked.unwrap()
    } catch (error) {
      problem = textOf(error, 'Failed to read the file')
    }
    if (number !== latest.current) return
    setLooking(false)
    setFailure(problem)
    if (!found) return // the earlier preview stays, by which the columns can be corrected again
    setPreview(found)
    setPartial(!whole)
    previewed.current = given
    setStale(false)
  }

  /** Back to the earlier preview, or to where none was. */
  const stopLooking = () => {
    latest.current++
    asking.current?.abort()
    setLooking(false)
    if (preview) {
      setColumns(previewed.current)
      setStale(false)
    } else setFile(null)
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
      setFailure(`${chosen.name} is larger than 200 MiB.`)
      return
    }
    setFile(chosen)
    void show(chosen, {})
  }

  const correct = (change: ImportReading) => {
    if (!file || busy) return
    const corrected = { ...columns, ...change }
    setColumns(corrected)
    void show(file, corrected)
  }

  const start = async () => {
    if (!file || !preview || stale || busy) return
    setBusy(true)
    stopped.current = false
    setStopping(false)
    setProgress(file.size > PART_CHARACTERS ? { read: 0, size: file.size } : null)
    setReport(null)
    setFailure(null)
    const release = guardUnload()
    const { email, joined, status, source, dayFirst, oldestFirst } = preview
    const order = oldestFirst ? ('oldest_first' as const) : ('newest_first' as const)
    const dates = dayFirst ? ('day_first' as const) : ('month_first' as const)
    const columns = { email, joined, status, source, dates }
    let made: ImportReport | null = null
    let complete = true
    try {
      let done = 0
      for await (const { body, offset, read, last } of readable(file, headOf(preview))) {
        if (stopped.current) {
          complete = false
          break
        }
        const part = made !== null || !last
        if (part) setProgress({ read: done, size: file.size })
        // A gateway of the version before refuses what it does not know.
        const place = part && oldestFirst !== undefined ? { order, offset } : {}
        made = sumOf(made, await send({ body, columns: { ...columns, ...place } }).unwrap())
        done = read
      }
      setReport(made)
      if (!complete) setFailure(`You have stopped the import. ${REST}`)
      else if (!shown.current && made) {
        toastSuccess(`${file.name} was imported`, summaryOf(made))
      }
    } catch (error) {
      const problem = textOf(error, 'Failed to import the file')
      const text = made ? `${problem} ${REST}` : problem
      setReport(made)
      setFailure(text)
      if (!shown.current) toastError(text)
    }
    release()
    setProgress(null)
    setBusy(false)
  }

  const stop = () => {
    stopped.current = true
    setStopping(true)
  }
  const state = {
    file,
    preview,
    partial,
    report,
    failure,
    looking,
    stale,
    busy,
    progress,
    stopping,
    columns,
  }
  return { ...state, choose, correct, stopLooking, start, stop }
}

function summaryOf({ added, known, invalid }: ImportReport): string {
  const counts = `${whole(added)} added, ${whole(known)} known, ${whole(invalid)} failed.`
  return invalid === 0 ? counts : `${counts} Import it again to see which.`
}

/** A gateway of the version before does not tell how many lines name the columns: one, as in nearly all files. */
const headOf = ({ head }: { head?: number | null }): number => head ?? 1

/** What is said of a part of a file that was not imported. */
const REST = 'Import the file again for the rest of it.'

/** The result of the parts so far and of another one. */
function sumOf(before: ImportReport | null, made: ImportReport): ImportReport {
  if (!before) return made
  return {
    added: before.added + made.added,
    known: before.known + made.known,
    invalid: before.invalid + made.invalid,
    lines: [...before.lines, ...made.lines].slice(0, MAX_FAILED_LINES),
  }
}

/** That a file on this machine cannot be read. */
class Unreadable extends Error {}

async function* readable(file: File, head: number) {
  const parts = partsOf(file, head)
  for (;;) {
    const part = await parts.next().catch(() => {
      throw new Unreadable(`${file.name} could not be read.`)
    })
    if (part.done) return
    yield part.value
  }
}

/** The first part, of which a preview tells; an empty file is one, too. */
async function firstOf(file: File): Promise<{ body: ArrayBuffer; last: boolean }> {
  for await (const part of readable(file, 0)) return part
  return { body: new ArrayBuffer(0), last: true }
}

const textOf = (error: unknown, fallback: string): string =>
  error instanceof Unreadable ? error.message : problemText(error, fallback, NETWORK_ERROR)
