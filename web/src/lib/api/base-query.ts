import { type BaseQueryFn, retry } from '@reduxjs/toolkit/query/react'
import { type AccessTokens, type HttpOptions, requestJson } from './http'
import type { Problem } from './problem'

/** What the store is created with (`extraArgument`). */
export interface ApiExtra {
  tokens: AccessTokens
}

interface ApiOptions {
  /** `user`: send the bearer, and fail without a request when there is none. Default: no bearer. */
  access?: 'public' | 'user'
}

/** A call by its path below /api, with what else it needs. */
type Call = { url: string } & Omit<HttpOptions, 'tokens' | 'signal'>

/** One call over the site's one fetch. */
const call: BaseQueryFn<string | Call, unknown, Problem, ApiOptions> = async (
  args,
  { signal, extra },
  options,
) => {
  const { url, ...rest } = typeof args === 'string' ? { url: args } : args
  const tokens = options?.access === 'user' ? (extra as ApiExtra).tokens : undefined
  try {
    return { data: await requestJson(`/api/${url}`, { ...rest, signal, tokens }) }
  } catch (problem) {
    return { error: problem as Problem }
  }
}

const RETRIES = 3

/** Queries are retried when that may help; mutations never, as they may have taken effect. */
function mayRetry(problem: Problem): boolean {
  return problem.kind === 'network' || (problem.kind === 'answer' && problem.status >= 500)
}

/** The exponential backoff before retry `attempt` (from 1): 1 s doubling to 30 s. */
export function retryDelay(attempt: number): number {
  return Math.min(1000 * 2 ** (attempt - 1), 30_000)
}

/** The typed base query of every endpoint. */
export const baseQuery = retry(call, {
  backoff: (attempt) => new Promise((resolve) => setTimeout(resolve, retryDelay(attempt))),
  retryCondition: (error, _args, { attempt, baseQueryApi }) =>
    baseQueryApi.type === 'query' && attempt <= RETRIES && mayRetry(error as unknown as Problem),
})
