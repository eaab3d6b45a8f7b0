import { api } from './api'

export const identityApi = api.injectEndpoints({
  endpoints: (build) => ({
    getIsAdmin: build.query<boolean, void>({
      query: () => 'is-admin',
      transformResponse: (answer: { isAdmin: boolean }) => answer.isAdmin,
      extraOptions: { access: 'user' },
    }),
  }),
})

export const { useGetIsAdminQuery } = identityApi
