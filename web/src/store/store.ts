import { combineSlices, configureStore } from '@reduxjs/toolkit'
import { api } from '@/lib/api/api'
import type { ApiExtra } from '@/lib/api/base-query'
import type { AccessTokens } from '@/lib/api/http'
import { authSlice } from './auth-slice'
import { signInSlice } from './sign-in-slice'

const rootReducer = combineSlices(api, authSlice, signInSlice)

const signedOut: AccessTokens = { current: () => null, owner: () => null, renew: async () => null }

/** A store of its own for every page load and every test; without `tokens`, calls are anonymous. */
export function makeStore(tokens: AccessTokens = signedOut) {
  const extraArgument: ApiExtra = { tokens }
  return configureStore({
    reducer: rootReducer,
    middleware: (defaults) => defaults({ thunk: { extraArgument } }).concat(api.middleware),
  })
}

export type AppStore = ReturnType<typeof makeStore>
export type RootState = ReturnType<typeof rootReducer>
export type AppDispatch = AppStore['dispatch']
