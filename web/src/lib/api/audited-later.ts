import type { ThunkDispatch, UnknownAction } from '@reduxjs/toolkit'
import { api } from './api'

/** How long after an action the audit log is asked for, in milliseconds: first soon, then to be sure. */
const PAUSES_MS = [1500, 4000]

interface Started {
  dispatch: ThunkDispatch<unknown, unknown, UnknownAction>
  queryFulfilled: Promise<unknown>
}

/**
 * The `onQueryStarted` of an audited action, whose record gets into the log by an event, after the answer. Also after a
 * failure: it may be done although the answer was lost. As many pages stay loaded.
 */
export async function auditedLater(_: unknown, { dispatch, queryFulfilled }: Started) {
  await queryFulfilled.catch(() => null)
  for (const pause of PAUSES_MS) {
    await new Promise((resolve) => setTimeout(resolve, pause))
    dispatch(api.util.invalidateTags(['Audit']))
  }
}
