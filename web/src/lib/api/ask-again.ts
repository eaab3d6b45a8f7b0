import type { ThunkAction, UnknownAction } from '@reduxjs/toolkit'
import { QueryStatus } from '@reduxjs/toolkit/query/react'
import { api } from './api'

type State = Parameters<typeof api.util.selectCachedArgsForQuery>[0]

type Endpoint = {
  initiate: (
    args: unknown,
    options: { subscribe: false; forceRefetch: true },
  ) => ThunkAction<unknown, State, unknown, UnknownAction>
}

/** Repeats every query that has failed: what the server refused, it may answer now. */
export const askAgain =
  (): ThunkAction<void, State, unknown, UnknownAction> => (dispatch, getState) => {
    const endpoints = api.endpoints as Record<string, Endpoint | undefined>
    for (const query of Object.values(getState().api.queries)) {
      if (query?.status !== QueryStatus.rejected || !query.endpointName) continue
      const endpoint = endpoints[query.endpointName]
      if (endpoint) {
        dispatch(endpoint.initiate(query.originalArgs, { subscribe: false, forceRefetch: true }))
      }
    }
  }
