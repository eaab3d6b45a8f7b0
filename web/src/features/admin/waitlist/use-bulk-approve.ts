import { useState } from 'react'
import { toastError } from '@/components/app/toast'
import { problemText } from '@/lib/api/problem'
import type { BulkApproveResult, WaitlistUser } from '@/lib/api/types'
import { BULK_LIMIT, useApproveWaitlistUsersMutation } from '@/lib/api/waitlist-api'
import type { Selection } from '../use-selection'

/** How the approval of several people went, each by itself. */
type BulkOutcome = { entry: WaitlistUser; result: BulkApproveResult }[]

/** A bulk approval in words, for the whole and for each person. */
export function bulkReport(outcome: BulkOutcome) {
  const all = outcome.length
  const done = outcome.filter(({ result }) => result.ok).length
  return {
    title: `${done} of ${all} ${all === 1 ? 'person' : 'people'} approved`,
    label: 'Each person',
    lines: outcome.map(({ entry, result }) => ({
      id: entry.id,
      name: entry.email,
      ok: result.ok,
      text: result.ok ? 'is approved' : (result.error ?? 'could not be approved'),
    })),
  }
}

/** Approves the selected, as many at once as the API takes. Those that fail stay selected. */
export function useBulkApprove(selection: Selection<WaitlistUser>) {
  const [approve] = useApproveWaitlistUsersMutation()
  const [busy, setBusy] = useState(false)
  const [outcome, setOutcome] = useState<BulkOutcome | null>(null)

  const apply = async () => {
    const entries = selection.selected
    const known = new Map<string, BulkApproveResult>()
    setOutcome(null)
    setBusy(true)
    try {
      for (let from = 0; from < entries.length; from += BULK_LIMIT) {
        const batch = entries.slice(from, from + BULK_LIMIT).map(({ id }) => id)
        for (const result of await approve(batch).unwrap()) known.set(result.waitlistUserId, result)
      }
    } catch (error) {
      toastError(problemText(error, 'Failed to approve waitlist users'))
    }
    setBusy(false)
    const results = entries.flatMap((entry) => {
      const result = known.get(entry.id)
      return result ? [{ entry, result }] : []
    })
    if (results.length > 0) setOutcome(results)
    selection.only(entries.filter(({ id }) => !known.get(id)?.ok).map(({ id }) => id))
  }
  return { busy, outcome, apply, dismiss: () => setOutcome(null) }
}
