import { boolean, nullish } from 'valibot'
import { api } from './api'
import { shape } from './shape'

/** What somebody is on the staff. */
export type StaffRole = 'admin' | 'moderator'

interface StaffAnswer {
  isAdmin: boolean
  /** A gateway from before moderators leaves it out. */
  isModerator?: boolean | null
}

export const staffRoleApi = api.injectEndpoints({
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
    }),
  }),
})

export const { useGetStaffRoleQuery } = staffRoleApi
