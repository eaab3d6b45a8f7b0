import {
  createSlice,
  isRejectedWithValue,
  type PayloadAction,
  type UnknownAction,
} from '@reduxjs/toolkit'
import { type SignInWanted, signInWanted } from '@/lib/api/sign-in-wanted'

type State = SignInWanted | null

const wantedNow = (state: State, error: unknown): State => signInWanted(error) ?? state

/** Whether a call was refused until the person signs in again: every call of the API's, and those that report it. */
export const signInSlice = createSlice({
  name: 'signIn',
  initialState: (): State => null,
  reducers: {
    /** A call that is none of the API's failed. */
    callFailed: (state: State, { payload }: PayloadAction<unknown>): State =>
      wantedNow(state, payload),
    /** The person goes on without. */
    declined: (): State => null,
  },
  extraReducers: (builder) =>
    builder.addMatcher(
      isRejectedWithValue,
      (state: State, { payload }: UnknownAction & { payload: unknown }) =>
        wantedNow(state, payload),
    ),
  selectors: { selectSignInWanted: (state): State => state },
})

export const { callFailed, declined } = signInSlice.actions
export const { selectSignInWanted } = signInSlice.selectors
