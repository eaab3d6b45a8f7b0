import { array, boolean, nullish, string } from 'valibot'
import { api } from './api'
import { shape } from './shape'
import type { AdminUser, AdminUserPage, Role, RolesAnswer, RolesChange } from './types'

/** What the list of accounts is narrowed to; an empty value does not narrow. */
export interface UserFilter {
  role: Role | ''
  search: string
}

const account = shape<AdminUser>({ id: string(), email: string(), roles: array(string()) })

export const identityApi = api.injectEndpoints({
  endpoints: (build) => ({
    getIsAdmin: build.query<boolean, void>({
      query: () => 'is-admin',
      rawResponseSchema: shape<{ isAdmin: boolean }>({ isAdmin: boolean() }),
      transformResponse: (answer: { isAdmin: boolean }) => answer.isAdmin,
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
      },
      providesTags: ['Users'],
    }),
    setUserRoles: build.mutation<RolesAnswer, RolesChange>({
      query: (body) => ({ url: 'set-user-roles', method: 'POST', body }),
      rawResponseSchema: shape<RolesAnswer>({ message: string(), data: account }),
      extraOptions: { access: 'user' },
      invalidatesTags: ['Users'],
    }),
  }),
})

export const { useGetIsAdminQuery, useGetUsersInfiniteQuery, useSetUserRolesMutation } = identityApi
