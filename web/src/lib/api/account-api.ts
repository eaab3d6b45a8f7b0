import { string } from 'valibot'
import { api } from './api'
import { userShape } from './session'
import { shape } from './shape'
import type { DeleteAccountAnswer, Provider, User } from './types'

const accountApi = api.injectEndpoints({
  endpoints: (build) => ({
    /** Begins the deletion of the person's account, which ends every session of it. */
    deleteAccount: build.mutation<DeleteAccountAnswer, void>({
      query: () => ({ url: 'auth/delete-account', method: 'POST', body: {} }),
      rawResponseSchema: shape<DeleteAccountAnswer>({ eraseAt: string() }),
    }),
    /** Removes a provider, which no longer opens the account; answered with what is left. */
    unlinkProvider: build.mutation<User, Provider>({
      query: (provider) => ({ url: 'auth/unlink-provider', method: 'POST', body: { provider } }),
      rawResponseSchema: userShape,
    }),
  }),
})

export const { useDeleteAccountMutation, useUnlinkProviderMutation } = accountApi
