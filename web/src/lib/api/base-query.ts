import {
  type BaseQueryFn,
  type FetchArgs,
  type FetchBaseQueryError,
  type FetchBaseQueryMeta,
  fetchBaseQuery,
  retry,
} from '@reduxjs/toolkit/query/react'
import { answerProblem, type Problem } from './problem'

/** Where calls get their bearer from; the store is created with one (`extraArgument`). */
export interface AccessTokens {
  current(): string | null
  /** Replaces the refused token; null when the person is signed out. */
  renew(refused: string): Promise<string | null>
}

export interface ApiExtra {
  tokens: AccessTokens
}

interface ApiOptions {
  /** `user`: send the bearer, and fail without a request when there is none. Default: no bearer. */
  access?: 'public' | 'user'
}

type Query = BaseQueryFn<string | FetchArgs, unknown, Problem, ApiOptions, FetchBaseQueryMeta>

/** Node, which renders the export and runs the tests, has no base for relative addresses. */
const origin = typeof location === 'undefined' ? '' : location.origin

const transport = fetchBaseQuery({
  baseUrl: `${origin}/api/`,
  credentials: 'same-origin',
  timeout: 15_000,
})

function withBearer(args: string | FetchArgs, token: string | null): FetchArgs {
  const request = typeof args === 'string' ? { url: args } : args
  if (!token) return request
  const headers = new Headers(request.headers as HeadersInit | undefined)
  headers.set('Authorization', `Bearer ${token}`)
  return { ...request, headers }
}

function problemOf(error: FetchBaseQueryError, meta?: FetchBaseQueryMeta): Problem {
  if (typeof error.status === 'number') {
    return answerProblem(error.status, meta?.response?.statusText ?? '', error.data)
  }
  // A failure page of something in between (a proxy) is not JSON, but has a status all the same.
  if (error.status === 'PARSING_ERROR' && error.originalStatus >= 400) {
    return answerProblem(error.originalStatus, meta?.response?.statusText ?? '', null)
  }
  return { kind: 'network' }
}

/** One call; a refused bearer is renewed and the call repeated, once. */
const call: Query = async (args, api, options) => {
  const { tokens } = api.extra as ApiExtra
  const wanted = options?.access === 'user'
  const token = wanted ? tokens.current() : null
  if (wanted && !token) return { error: { kind: 'no-session' } }

  let result = await transport(withBearer(args, token), api, {})
  if (token && result.error?.status === 401) {
    const renewed = await tokens.renew(token).catch(() => null)
    if (renewed) result = await transport(withBearer(args, renewed), api, {})
  }
  return result.error
    ? { error: problemOf(result.error, result.meta), meta: result.meta }
    : { data: result.data, meta: result.meta }
}

const RETRIES = 3

/** Reads are tried again when another try may help; writes never, they may have taken effect. */
function mayRetry(problem: Problem): boolean {
  return problem.kind === 'network' || (problem.kind === 'answer' && problem.status >= 500)
}

/** The pause before retry `attempt` (from 1): 1 s doubling to 30 s. */
export function retryDelay(attempt: number): number {
  return Math.min(1000 * 2 ** (attempt - 1), 30_000)
}

/** The typed base query of every endpoint. */
export const baseQuery = retry(call, {
  backoff: (attempt) => new Promise((resolve) => setTimeout(resolve, retryDelay(attempt))),
  retryCondition: (error, _args, { attempt, baseQueryApi }) =>
    baseQueryApi.type === 'query' && attempt <= RETRIES && mayRetry(error as unknown as Problem),
})
