import { array, nullish, string } from 'valibot'
import { api } from './api'
import { auditedLater } from './audited-later'
import { cursorPages } from './cursor-pages'
import { onSuccess, type Patch } from './on-success'
import { answerOf } from './problem'
import { part, rows, shape } from './shape'
import type { AdminUser, AdminUserPage, Role, RolesAnswer, RolesChange } from './types'

/** The filter of the list of accounts; an empty value does not filter. */
export interface UserFilter {
  role: Role | ''
  search: string
}

export const account = shape<AdminUser>({ id: string(), email: string(), roles: array(string()) })

const queries = api.injectEndpoints({
  endpoints: (build) => ({
    getUsers: build.infiniteQuery<AdminUserPage, UserFilter, string>({
      query: ({ queryArg, pageParam }) => ({
        url: 'get-users-with-roles',
        params: {
          ...(queryArg.role && { role: queryArg.role }),
          ...(queryArg.search && { search: queryArg.search }),
          ...(pageParam && { cursor: pageParam }),
        },
      }),
      rawResponseSchema: shape<AdminUserPage>({
        data: rows(account),
        nextCursor: nullish(string()),
      }),
      infiniteQueryOptions: cursorPages,
    }),
    /** One account, named by its id or address. */
    getPerson: build.query<AdminUser, string>({
      query: (person) => ({ url: 'get-person', params: { person } }),
      rawResponseSchema: account,
      providesTags: ['Person'],
    }),
  }),
})

/** Updates an account in every cached list, and where it is shown by itself. */
export const patchUser =
  (now: AdminUser): Patch =>
  (dispatch, getState) => {
    for (const filter of queries.util.selectCachedArgsForQuery(getState(), 'getUsers')) {
      dispatch(
        queries.util.updateQueryData('getUsers', filter, ({ pages }) => {
          for (const { data } of pages) {
            const at = data.findIndex(({ id }) => id === now.id)
            if (at >= 0) data[at] = now
          }
        }),
      )
    }
    for (const person of queries.util.selectCachedArgsForQuery(getState(), 'getPerson')) {
      dispatch(
        queries.util.updateQueryData('getPerson', person, (user) =>
          user.id === now.id ? now : user,
        ),
      )
    }
  }

export const identityApi = queries.injectEndpoints({
  endpoints: (build) => ({
    setUserRoles: build.mutation<RolesAnswer, RolesChange>({
      query: (body) => ({ url: 'set-user-roles', method: 'POST', body }),
      rawResponseSchema: shape<RolesAnswer>({ message: part(string()), data: account }),
      invalidatesTags: (_answer, error) => (error ? ['Person'] : []),
      onQueryStarted: async (change, started) => {
        void auditedLater(change, started)
        const patch = onSuccess(({ data }: RolesAnswer) => patchUser(data))
        await patch(change, started)
        const failed = await started.queryFulfilled.then(
          () => false,
          () => true,
        )
        if (!failed) return
        // It may be done although the answer was lost, or another admin has changed the account.
        const now = started.dispatch(
          queries.endpoints.getPerson.initiate(change.userId, {
            subscribe: false,
            forceRefetch: true,
          }),
        )
        const { data } = await now
        if (data) started.dispatch(patchUser(data))
      },
    }),
  }),
})

/** Whether there is no account with that id or address. */
export const isUnknownPerson = (error: unknown) => answerOf(error)?.status === 404

export const { useGetUsersInfiniteQuery, useGetPersonQuery, useSetUserRolesMutation } = identityApi
