import { looseObject, nullable, nullish, number, string } from 'valibot'
import { api } from './api'
import { auditedLater, billedLater } from './audited-later'
import { cursorPages } from './cursor-pages'
import { account, patchUser } from './identity-api'
import { onSuccess } from './on-success'
import { rows, shape } from './shape'
import type {
  AdminUser,
  Channel,
  CreditAdjustment,
  Credits,
  Device,
  DeviceRevocation,
  PastSignIn,
  PersonAction,
  PersonBilling,
  PersonChannel,
  PersonDevices,
  RenewalChange,
  StateChange,
} from './types'

/** Entries of the credit history on a page. */
const HISTORY_PAGE = 10

/** Hardly validated: each card has an error boundary. */
const anyObject = nullable(looseObject({}))

const patch = onSuccess(patchUser)
type Started = Parameters<typeof patch>[1]

/** A change of an account, which is shown at once wherever the account is. */
const changed = {
  rawResponseSchema: account,
  // After a failure it may be done although the answer was lost.
  invalidatesTags: (_user: unknown, error: unknown) =>
    error ? (['Person', 'PersonDevices'] as const) : (['PersonDevices'] as const),
  onQueryStarted: (action: PersonAction, started: Started) => {
    void billedLater(action, started)
    return patch(action, started)
  },
}

/** What belongs to one account, for staff. */
export const personApi = api.injectEndpoints({
  endpoints: (build) => ({
    getPersonDevices: build.query<PersonDevices, string>({
      query: (userId) => ({ url: 'get-person-devices', params: { userId } }),
      rawResponseSchema: shape<PersonDevices>({
        devices: rows(shape<Device>({ id: string(), name: string(), user_agent: string() })),
        signIns: rows(shape<PastSignIn>({ id: string(), name: string(), user_agent: string() })),
      }),
      providesTags: ['PersonDevices'],
    }),
    getPersonBilling: build.infiniteQuery<PersonBilling, string, string>({
      query: ({ queryArg, pageParam }) => ({
        url: 'get-person-billing',
        params: { userId: queryArg, limit: HISTORY_PAGE, ...(pageParam && { cursor: pageParam }) },
      }),
      rawResponseSchema: shape<PersonBilling>({
        subscription: anyObject,
        credits: anyObject,
        entries: rows(looseObject({ id: string() })),
        nextCursor: nullish(string()),
        stripeUrl: nullish(string()),
      }),
      infiniteQueryOptions: cursorPages,
      providesTags: ['PersonBilling'],
    }),
    getPersonChannel: build.query<PersonChannel, string>({
      query: (userId) => ({ url: 'get-person-channel', params: { userId } }),
      rawResponseSchema: shape<PersonChannel>({}),
      providesTags: ['PersonChannel'],
    }),
    setPersonChannel: build.mutation<PersonChannel, PersonAction & { channel: Channel | 'none' }>({
      query: (body) => ({ url: 'set-person-channel', method: 'POST', body }),
      rawResponseSchema: shape<PersonChannel>({}),
      invalidatesTags: ['PersonChannel'],
      onQueryStarted: auditedLater,
    }),
    setPersonState: build.mutation<AdminUser, StateChange>({
      query: (body) => ({ url: 'set-person-state', method: 'POST', body }),
      ...changed,
    }),
    deletePerson: build.mutation<AdminUser, PersonAction>({
      query: (body) => ({ url: 'delete-person', method: 'POST', body }),
      ...changed,
    }),
    signOutPerson: build.mutation<{ ended: number }, PersonAction>({
      query: (body) => ({ url: 'sign-out-person', method: 'POST', body }),
      rawResponseSchema: shape<{ ended: number }>({ ended: number() }),
      invalidatesTags: ['PersonDevices'],
      onQueryStarted: auditedLater,
    }),
    resetSecondFactor: build.mutation<null, PersonAction>({
      query: (body) => ({ url: 'reset-second-factor', method: 'POST', body }),
      invalidatesTags: ['PersonDevices'],
      onQueryStarted: auditedLater,
    }),
    revokePersonDevice: build.mutation<null, DeviceRevocation>({
      query: (body) => ({ url: 'revoke-person-device', method: 'POST', body }),
      invalidatesTags: ['PersonDevices'],
      onQueryStarted: auditedLater,
    }),
    setPersonRenewal: build.mutation<null, RenewalChange>({
      query: (body) => ({ url: 'set-person-renewal', method: 'POST', body }),
      invalidatesTags: ['PersonBilling'],
      onQueryStarted: auditedLater,
    }),
    adjustCredits: build.mutation<{ credits: Credits }, CreditAdjustment>({
      query: (body) => ({ url: 'adjust-credits', method: 'POST', body }),
      rawResponseSchema: shape<{ credits: Credits }>({
        credits: shape<Credits>({ balance: number() }),
      }),
      invalidatesTags: ['PersonBilling'],
      onQueryStarted: auditedLater,
    }),
  }),
})

export const {
  useGetPersonDevicesQuery,
  useGetPersonBillingInfiniteQuery,
  useGetPersonChannelQuery,
  useSetPersonChannelMutation,
  useSetPersonStateMutation,
  useDeletePersonMutation,
  useSignOutPersonMutation,
  useResetSecondFactorMutation,
  useRevokePersonDeviceMutation,
  useAdjustCreditsMutation,
  useSetPersonRenewalMutation,
} = personApi
