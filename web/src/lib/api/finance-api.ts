import { array, looseObject, nullable, number, string } from 'valibot'
import { api } from './api'
import { auditedLater } from './audited-later'
import { rows, shape } from './shape'
import type { BillingCase, BillingCases, CaseDecision, Finances, Money } from './types'

const money = shape<Money>({ amount: number(), currency: string() })

/** What finance and staff see of billing. */
const financeApi = api.injectEndpoints({
  endpoints: (build) => ({
    getFinances: build.query<Finances, void>({
      query: () => 'get-finances',
      rawResponseSchema: shape<Finances>({
        subscriptions: array(looseObject({ plan: string(), monthly: nullable(money) })),
        monthlyRevenue: array(money),
        credits: looseObject({ granted: number(), spent: number(), expired: number() }),
        outstanding: number(),
        owed: number(),
        differences: array(string()),
      }),
      providesTags: ['Finances'],
    }),
    getBillingCases: build.query<BillingCases, void>({
      query: () => 'get-billing-cases',
      rawResponseSchema: shape<BillingCases>({
        data: rows(shape<BillingCase>({ object: string(), reason: string() })),
        total: number(),
      }),
      providesTags: ['BillingCases'],
    }),
    decideBillingCase: build.mutation<null, CaseDecision>({
      query: (body) => ({ url: 'decide-billing-case', method: 'POST', body }),
      invalidatesTags: ['BillingCases', 'Finances', 'PersonBilling'],
      onQueryStarted: auditedLater,
    }),
  }),
})

export const { useGetFinancesQuery, useGetBillingCasesQuery, useDecideBillingCaseMutation } =
  financeApi
