import type { ThunkAction, ThunkDispatch, UnknownAction } from '@reduxjs/toolkit'
import { api } from './api'

/** The state of a store that has the API. */
type State = Parameters<typeof api.util.selectCachedArgsForQuery>[0]

/** Updates what is cached; repeated, it changes nothing more. */
export type Patch = ThunkAction<unknown, State, unknown, UnknownAction>

interface Started<Data> {
  dispatch: ThunkDispatch<State, unknown, UnknownAction>
  queryFulfilled: Promise<{ data: Data }>
}

/**
 * The `onQueryStarted` of a mutation that updates the cache by itself once it has succeeded (no optimistic update). A
 * query that is on its way may be answered with what was before, so the patch is repeated after it.
 */
export const onSuccess =
  <Arg, Data>(patch: (data: Data, arg: Arg) => Patch) =>
  async (arg: Arg, { dispatch, queryFulfilled }: Started<Data>): Promise<void> => {
    const answer = await queryFulfilled.catch(() => null)
    if (!answer) return
    const running = dispatch(api.util.getRunningQueriesThunk())
    dispatch(patch(answer.data, arg))
    if (running.length === 0) return
    await Promise.all(running)
    dispatch(patch(answer.data, arg))
  }
