import { array, boolean, nullable, nullish, number, string } from 'valibot'
import { api } from './api'
import { cursorPages } from './cursor-pages'
import { part, rows, shape } from './shape'
import type {
  CheckoutRequest,
  CheckoutSession,
  CreditBalance,
  CreditBalanceAnswer,
  CreditEnding,
  CreditEntry,
  CreditHistory,
  Credits,
  Money,
  Pack,
  PackOnItsWay,
  Plan,
  PlanList,
  PortalAnswer,
  PortalRequest,
  Subscription,
  SubscriptionAnswer,
  TokenBalanceAnswer,
} from './types'

/** Entries of the credit history on a page. */
const HISTORY_PAGE = 25

const plan = shape<Plan>({
  id: string(),
  name: string(),
  description: string(),
  monthly_credits: number(),
  price_monthly: number(),
  productId: nullish(string()),
  priceId: nullish(string()),
  features: rows(shape<Plan['features'][number]>({ text: string(), info: part(string()) })),
  contactSales: nullish(boolean()),
})

const planList = shape<PlanList>({
  data: rows(plan),
  packs: part(
    rows(
      shape<Pack>({
        productId: string(),
        priceId: string(),
        credits: number(),
        price: shape<Money>({ amount: number(), currency: string() }),
      }),
    ),
  ),
})

const subscriptionAnswer = shape<SubscriptionAnswer>({
  data: nullable(
    shape<Subscription>({
      status: string(),
      current_period_end: nullish(string()),
      plan: shape<Subscription['plan']>({ name: string(), monthly_credits: number() }),
      afterTrial: part(shape<Money>({ amount: number(), currency: string() })),
    }),
  ),
  trialDays: part(number()),
  hasPortal: part(boolean()),
  pack: part(string()),
})

const creditHistory = shape<CreditHistory>({
  data: rows(
    shape<CreditEntry>({
      id: string(),
      time: string(),
      kind: string(),
      amount: number(),
      balance_after: number(),
      description: part(string()),
      paid: part(shape<Money>({ amount: number(), currency: string() })),
    }),
  ),
  nextCursor: nullish(string()),
  days: part(array(shape<CreditHistory['days'][number]>({ day: string(), amount: number() }))),
})

/** What is sold: plans, the cheapest first, and credits beside them, the fewest first. */
interface Sold {
  plans: readonly Plan[]
  packs: readonly Pack[]
}

/** What a person has and is offered. */
interface Subscribed {
  /** Null on the free plan. */
  subscription: Subscription | null
  /** How many days are free if the person now buys a plan; 0 without a trial. */
  trialDays: number
  /** Whether the person ever ordered something, and so has invoices, or may have. */
  hasPortal: boolean
}

export const billingApi = api.injectEndpoints({
  endpoints: (build) => ({
    getPlans: build.query<Sold, void>({
      query: () => 'get-plans',
      rawResponseSchema: planList,
      transformResponse: ({ data, packs }: PlanList) => ({ plans: data, packs: packs ?? [] }),
      extraOptions: { access: 'public' },
      providesTags: ['Plans'],
    }),
    getSubscription: build.query<Subscribed, void>({
      query: () => 'get-subscription',
      rawResponseSchema: subscriptionAnswer,
      transformResponse: ({ data, trialDays, hasPortal }: SubscriptionAnswer) => ({
        subscription: data,
        trialDays: trialDays ?? 0,
        hasPortal: hasPortal ?? false,
      }),
      providesTags: ['Subscription'],
    }),
    /** What is left of how much; null for an account that never had credits. */
    getCreditBalance: build.query<CreditBalance | null, void>({
      query: () => 'get-credit-balance',
      rawResponseSchema: shape<CreditBalanceAnswer>({
        data: nullable(shape<CreditBalance>({ credit_balance: number(), credit_max: number() })),
      }),
      transformResponse: ({ data }: CreditBalanceAnswer) => data,
      providesTags: ['Credits'],
    }),
    /** The same in full: what is used, what is set aside, and what ends when. */
    getTokenBalance: build.query<Credits | null, void>({
      query: () => 'get-token-balance',
      rawResponseSchema: shape<TokenBalanceAnswer>({
        data: nullable(
          shape<Credits>({
            used: number(),
            held: number(),
            endings: part(rows(shape<CreditEnding>({ at: string(), amount: number() }))),
            onTheirWay: part(rows(shape<PackOnItsWay>({ credits: number(), since: string() }))),
          }),
        ),
      }),
      transformResponse: ({ data }: TokenBalanceAnswer) => data,
      providesTags: ['Credits'],
    }),
    /** What came and went, newest first; each page also has what was spent on the last 30 days. */
    getCreditHistory: build.infiniteQuery<CreditHistory, void, string>({
      query: ({ pageParam }) => ({
        url: 'get-credit-history',
        params: { limit: HISTORY_PAGE, ...(pageParam && { cursor: pageParam }) },
      }),
      rawResponseSchema: creditHistory,
      infiniteQueryOptions: cursorPages,
      providesTags: ['Credits'],
    }),
    createCheckoutSession: build.mutation<CheckoutSession, CheckoutRequest>({
      query: (body) => ({ url: 'create-checkout-session', method: 'POST', body }),
      rawResponseSchema: shape<CheckoutSession>({ url: string() }),
      // A refusal tells that another tab, or the portal, has changed the subscription.
      invalidatesTags: (_answer, error) => (error ? ['Subscription'] : []),
    }),
    createPortalSession: build.mutation<PortalAnswer, PortalRequest>({
      query: (body) => ({ url: 'create-portal-session', method: 'POST', body }),
      rawResponseSchema: shape<PortalAnswer>({
        url: nullish(string()),
        message: part(string()),
      }),
    }),
    /** Lets the server look at a finished checkout at once; repeating it changes nothing. */
    syncCheckoutSession: build.mutation<SubscriptionAnswer, string>({
      query: (sessionId) => ({ url: 'sync-checkout-session', method: 'POST', body: { sessionId } }),
      rawResponseSchema: subscriptionAnswer,
      invalidatesTags: (_answer, error) => (error ? [] : ['Subscription', 'Credits']),
    }),
  }),
})

export const {
  useGetPlansQuery,
  useGetSubscriptionQuery,
  useGetCreditBalanceQuery,
  useGetTokenBalanceQuery,
  useGetCreditHistoryInfiniteQuery,
  useCreateCheckoutSessionMutation,
  useCreatePortalSessionMutation,
  useSyncCheckoutSessionMutation,
} = billingApi
