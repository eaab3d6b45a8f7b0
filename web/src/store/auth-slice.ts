import { createSlice, type PayloadAction } from '@reduxjs/toolkit'
import type { User } from '@/lib/api/types'

/** Who is using the site. Tokens never enter the store, only what pages show. */
export type AuthState =
  | { status: 'loading'; user: null }
  | { status: 'signed-out'; user: null }
  | { status: 'signed-in'; user: User }

export const authSlice = createSlice({
  name: 'auth',
  initialState: (): AuthState => ({ status: 'loading', user: null }),
  reducers: {
    userChanged: (_state, { payload: user }: PayloadAction<User | null>): AuthState =>
      user ? { status: 'signed-in', user } : { status: 'signed-out', user: null },
  },
  selectors: { selectAuth: (state): AuthState => state },
})

export const { userChanged } = authSlice.actions
export const { selectAuth } = authSlice.selectors
