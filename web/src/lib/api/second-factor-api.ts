import { array, boolean, string } from 'valibot'
import { api } from './api'
import { shape } from './shape'
import type { SecondFactor, SecondFactorEnrolment } from './types'

const changed = { invalidatesTags: ['SecondFactor'] } as const

/** The second factor of the member of staff whom the browser's cookie belongs to. */
const secondFactorApi = api.injectEndpoints({
  endpoints: (build) => ({
    getSecondFactor: build.query<SecondFactor, void>({
      query: () => 'auth/second-factor',
      rawResponseSchema: shape<SecondFactor>({
        required: boolean(),
        enrolled: boolean(),
        verified: boolean(),
        recovery_codes: boolean(),
      }),
      providesTags: ['SecondFactor'],
    }),
    /** The secret is shown once, so that it is not kept in the store. */
    beginSecondFactor: build.mutation<SecondFactorEnrolment, void>({
      query: () => ({ url: 'auth/begin-second-factor', method: 'POST', body: {} }),
      rawResponseSchema: shape<SecondFactorEnrolment>({
        flow: string(),
        secret: string(),
        uri: string(),
        qr_code: string(),
      }),
    }),
    confirmSecondFactor: build.mutation<null, { flow: string; code: string }>({
      query: (body) => ({ url: 'auth/confirm-second-factor', method: 'POST', body }),
      ...changed,
    }),
    verifySecondFactor: build.mutation<null, string>({
      query: (code) => ({ url: 'auth/verify-second-factor', method: 'POST', body: { code } }),
      ...changed,
    }),
    createRecoveryCodes: build.mutation<{ codes: string[] }, void>({
      query: () => ({ url: 'auth/create-recovery-codes', method: 'POST', body: {} }),
      rawResponseSchema: shape<{ codes: string[] }>({ codes: array(string()) }),
      ...changed,
    }),
    removeSecondFactor: build.mutation<null, void>({
      query: () => ({ url: 'auth/remove-second-factor', method: 'POST', body: {} }),
      ...changed,
    }),
  }),
})

export const {
  useGetSecondFactorQuery,
  useBeginSecondFactorMutation,
  useConfirmSecondFactorMutation,
  useVerifySecondFactorMutation,
  useCreateRecoveryCodesMutation,
  useRemoveSecondFactorMutation,
} = secondFactorApi
