import { createApi } from '@reduxjs/toolkit/query/react'
import { baseQuery } from './base-query'

/**
 * The one API of the site. Each area adds its endpoints with `injectEndpoints` in a file of its own
 * beside this one, so a page loads only what it uses while tags work across all of them.
 */
export const api = createApi({
  reducerPath: 'api',
  baseQuery,
  tagTypes: [
    'Waitlist',
    'Waves',
    'Mails',
    'Releases',
    'PreviewLinks',
    'Devices',
    'Plans',
    'Subscription',
    'Credits',
    'Tickets',
    'Desk',
    'MyTickets',
    'SecondFactor',
    'Person',
    'PersonDevices',
    'PersonBilling',
    'PersonTickets',
    'PersonChannel',
    'Finances',
    'BillingCases',
    'Audit',
  ],
  keepUnusedDataFor: 300,
  // A response that fails an endpoint's `rawResponseSchema` (shape.ts) fails the call.
  catchSchemaFailure: () => ({ kind: 'unusable' as const }),
  endpoints: () => ({}),
})
