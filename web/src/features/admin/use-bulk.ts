import { useRef, useState } from 'react'
import { toastSuccess } from '@/components/app/toast'
import { guardUnload } from '@/lib/guard-unload'
import { whole } from '@/lib/numbers'
import type { Selection } from './use-selection'
import { useShown } from './use-shown'

/** The result for one item. */
export interface BulkResult {
  id: string
  ok: boolean
  error?: string
}

/** A bulk change. */
export interface BulkChange<Item> {
  /** The progress text, such as 'Approving'. */
  doing: string
  /** The final text, such as '3 of 5 people approved'. */
  done: (count: number, of: number) => string
  /** The error of an item for which the server gives none. */
  failed: string
  /** Changes one batch of items; rejects when there is no response. */
  send: (items: Item[]) => Promise<BulkResult[]>
  /** Called when a batch got no response, so that it is unknown what it changed. */
  onLost: (error: unknown) => void
}

interface Progress {
  text: string
  /** Whether there is more than one batch, so that it can be stopped in between. */
  stoppable: boolean
  stopping: boolean
}

/** The result of a bulk change: counts, and the items that failed. */
export interface BulkReport {
  title: string
  /** How many items were not sent, or got no response. */
  rest: string
  failures: { id: string; name: string; text: string }[]
}

interface Options<Item extends { id: string }> {
  selection: Selection<Item>
  /** The size of a batch. */
  limit: number
  nameOf: (item: Item) => string
}

/**
 * Changes the selected items in batches, and can be stopped between two of them. Items that fail or are not sent stay
 * selected. A change continues while another tab of the dashboard is shown, and then ends with a toast.
 */
export function useBulk<Item extends { id: string }>({ selection, limit, nameOf }: Options<Item>) {
  const [progress, setProgress] = useState<Progress | null>(null)
  const [report, setReport] = useState<BulkReport | null>(null)
  const stopped = useRef(false)
  const shown = useShown()

  const run = async (change: BulkChange<Item>) => {
    const items = selection.selected
    const results = new Map<string, BulkResult>()
    stopped.current = false
    setReport(null)
    const release = guardUnload()
    try {
      for (let from = 0; from < items.length && !stopped.current; from += limit) {
        const part = items.slice(from, from + limit)
        setProgress({
          text: `${change.doing} ${whole(from + part.length)} of ${whole(items.length)}`,
          stoppable: items.length > limit,
          stopping: false,
        })
        for (const result of await change.send(part)) results.set(result.id, result)
      }
    } catch (error) {
      change.onLost(error)
    }
    release()
    setProgress(null)
    const ended = reportOf(items, results, change, stopped.current, nameOf)
    if (!shown.current) toastSuccess(ended.title, ended.rest)
    else if (results.size > 0) setReport(ended)
    selection.only(items.filter(({ id }) => !results.get(id)?.ok).map(({ id }) => id))
  }

  return {
    progress,
    report,
    run,
    stop: () => {
      stopped.current = true
      setProgress((now) => now && { ...now, stopping: true })
    },
    dismiss: () => setReport(null),
  }
}

export type Bulk = Pick<ReturnType<typeof useBulk>, 'progress' | 'stop'>

function reportOf<Item extends { id: string }>(
  items: readonly Item[],
  results: ReadonlyMap<string, BulkResult>,
  { done, failed }: BulkChange<Item>,
  stopped: boolean,
  nameOf: (item: Item) => string,
): BulkReport {
  const rest = items.length - results.size
  const why = stopped ? 'not sent' : 'without an answer'
  return {
    title: done([...results.values()].filter(({ ok }) => ok).length, items.length),
    rest: rest > 0 ? `${whole(rest)} ${why}, and still selected.` : '',
    failures: items.flatMap((item) => {
      const result = results.get(item.id)
      if (!result || result.ok) return []
      return [{ id: item.id, name: nameOf(item), text: result.error ?? failed }]
    }),
  }
}
