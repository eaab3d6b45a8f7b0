import { createSlice, type PayloadAction } from '@reduxjs/toolkit'
import type { User } from '@/lib/api/types'

/** Who is using the site. Tokens never enter the store, only what pages show. */
export type AuthState =
  | { status: 'loading'; user: null }
  /** Somebody seems to be signed in, but the server does not answer. */
  | { status: 'unreachable'; user: null }
  /** `expired`: the session ended by itself while the page was open. */
  | { status: 'signed-out'; user: null; expired: boolean }
  | { status: 'signed-in'; user: User }

export const authSlice = createSlice({
  name: 'auth',
  initialState: (): AuthState => ({ status: 'loading', user: null }),
  reducers: {
    signedIn: (_state, { payload: user }: PayloadAction<User>): AuthState => ({
      status: 'signed-in',
      user,
    }),
    signedOut: (_state, { payload }: PayloadAction<{ expired: boolean }>): AuthState => ({
      status: 'signed-out',
      user: null,
      expired: payload.expired,
    }),
    serverUnreachable: (): AuthState => ({ status: 'unreachable', user: null }),
  },
  selectors: { selectAuth: (state): AuthState => state },
})

export const { signedIn, signedOut, serverUnreachable } = authSlice.actions
export const { selectAuth } = authSlice.selectors
