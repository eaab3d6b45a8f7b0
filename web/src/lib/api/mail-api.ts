import { array, number, string } from 'valibot'
import { api } from './api'
import { cursorPages } from './cursor-pages'
import { rows, shape } from './shape'
import type { Mail, MailChange, MailPage } from './types'

/** Emails of a service in one state. */
export interface MailFilter {
  service: MailChange['service']
  state: Mail['state']
}

const page = shape<MailPage>({
  data: rows(shape<Mail>({ id: number(), state: string(), to: string(), subject: string() })),
  counts: array(shape<MailPage['counts'][number]>({ state: string(), count: number() })),
})

/** What became of emails, and what staff do with those that were not delivered. */
const mailApi = api.injectEndpoints({
  endpoints: (build) => ({
    getMails: build.infiniteQuery<MailPage, MailFilter, string>({
      query: ({ queryArg, pageParam }) => ({
        url: 'get-mails',
        params: { ...queryArg, ...(pageParam && { cursor: pageParam }) },
      }),
      rawResponseSchema: page,
      infiniteQueryOptions: cursorPages,
      keepUnusedDataFor: 0,
      providesTags: ['Mails'],
    }),
    changeMails: build.mutation<{ ids: number[] }, MailChange>({
      query: (body) => ({ url: 'change-mails', method: 'POST', body }),
      rawResponseSchema: shape<{ ids: number[] }>({ ids: array(number()) }),
      invalidatesTags: ['Mails'],
    }),
  }),
})

export const { useGetMailsInfiniteQuery, useChangeMailsMutation } = mailApi
