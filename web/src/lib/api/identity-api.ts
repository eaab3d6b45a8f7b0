import { array, boolean, nullish, string } from 'valibot'
import type { ThunkAction, UnknownAction } from '@reduxjs/toolkit'
import { api } from './api'
import { shape } from './shape'
import type { AdminUser, AdminUserPage, Role, RolesAnswer, RolesChange } from './types'

/** The filter of the list of accounts; an empty value does not filter. */
export interface UserFilter {
  role: Role | ''
  search: string
}

/** What somebody is on the staff. */
export type StaffRole = 'admin' | 'moderator'

interface StaffAnswer {
  isAdmin: boolean
  /** A gateway from before moderators leaves it out. */
  isModerator?: boolean | null
}

export const account = shape<AdminUser>({ id: string(), email: string(), roles: array(string()) })

const queries = api.injectEndpoints({
  endpoints: (build) => ({
    /** The caller's higher role on the staff; null for everybody else. */
    getStaffRole: build.query<StaffRole | null, void>({
      query: () => 'is-admin',
      rawResponseSchema: shape<StaffAnswer>({
        isAdmin: boolean(),
        isModerator: nullish(boolean()),
      }),
      transformResponse: ({ isAdmin, isModerator }: StaffAnswer) =>
        isAdmin ? 'admin' : isModerator ? 'moderator' : null,
      extraOptions: { access: 'user' },
    }),
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
        data: array(account),
        nextCursor: nullish(string()),
      }),
      extraOptions: { access: 'user' },
      infiniteQueryOptions: {
        initialPageParam: '',
        getNextPageParam: (page) => page.nextCursor ?? undefined,
        refetchCachedPages: false,
      },
    }),
    /** One account, named by its id or address. */
    getPerson: build.query<AdminUser, string>({
      query: (person) => ({ url: 'get-person', params: { person } }),
      rawResponseSchema: account,
      extraOptions: { access: 'user' },
      providesTags: ['Person'],
    }),
  }),
})

type State = Parameters<typeof queries.util.selectCachedArgsForQuery>[0]

/** Updates an account in every cached list, and where it is shown by itself. */
export const patchUser =
  (now: AdminUser): ThunkAction<void, State, unknown, UnknownAction> =>
  (dispatch, getState) => {
    for (const filter of queries.util.selectCachedArgsForQuery(getState(), 'getUsers')) {
      dispatch(
        queries.util.updateQueryData('getUsers', filter, ({ pages }) => {
          const user = pages.flatMap(({ data }) => data).find(({ id }) => id === now.id)
          if (user) Object.assign(user, now)
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
      rawResponseSchema: shape<RolesAnswer>({ message: nullish(string()), data: account }),
      extraOptions: { access: 'user' },
      invalidatesTags: (_answer, error) => (error ? ['Person'] : []),
      onQueryStarted: async (_change, { dispatch, queryFulfilled }) => {
        const answer = await queryFulfilled.catch(() => null)
        if (answer) dispatch(patchUser(answer.data.data))
      },
    }),
  }),
})

export const {
  useGetStaffRoleQuery,
  useGetUsersInfiniteQuery,
  useGetPersonQuery,
  useSetUserRolesMutation,
} = identityApi
