import { string } from 'valibot'
import { api } from './api'
import { isProblem } from './problem'
import { shape } from './shape'
import type { DeleteAccountAnswer, Provider } from './types'

const accountApi = api.injectEndpoints({
  endpoints: (build) => ({
    /** Begins the deletion of the person's account, which ends every session of it. */
    deleteAccount: build.mutation<DeleteAccountAnswer, void>({
      query: () => ({ url: 'auth/delete-account', method: 'POST', body: {} }),
      rawResponseSchema: shape<DeleteAccountAnswer>({ eraseAt: string() }),
      extraOptions: { access: 'user' },
    }),
    /** Removes a provider, which no longer opens the account. */
    unlinkProvider: build.mutation<unknown, Provider>({
      query: (provider) => ({ url: 'auth/unlink-provider', method: 'POST', body: { provider } }),
      extraOptions: { access: 'user' },
    }),
  }),
})

/** Whether the server asks for a sign-in that is newer than the session's. */
export function needsFreshSignIn(error: unknown): boolean {
  return isProblem(error) && error.kind === 'answer' && error.code === 'fresh_sign_in_required'
}

export const { useDeleteAccountMutation, useUnlinkProviderMutation } = accountApi
