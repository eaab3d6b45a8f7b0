import type { ThunkDispatch, UnknownAction } from '@reduxjs/toolkit'
import { api } from './api'

/** How long after an action what follows it is asked for, in milliseconds: first soon, then to be sure. */
const PAUSES_MS = [1500, 4000]

interface Started {
  dispatch: ThunkDispatch<unknown, unknown, UnknownAction>
  queryFulfilled: Promise<unknown>
}

/**
 * The `onQueryStarted` of an action that other services hear of by an event, after the answer. Also after a failure: it
 * may be done although the answer was lost. As many pages of a list stay loaded.
 */
const heardLater =
  (...tags: ('Audit' | 'PersonBilling')[]) =>
  async (_: unknown, { dispatch, queryFulfilled }: Started): Promise<void> => {
    await queryFulfilled.catch(() => null)
    for (const pause of PAUSES_MS) {
      await new Promise((resolve) => setTimeout(resolve, pause))
      dispatch(api.util.invalidateTags(tags))
    }
  }

/** Of an audited action: its record gets into the log. */
export const auditedLater = heardLater('Audit')

/** Of one that disables or enables an account, whose plan then stops renewing or goes on. */
export const billedLater = heardLater('Audit', 'PersonBilling')
