import { type BaseQueryFn, retry } from '@reduxjs/toolkit/query/react'
import { type AccessTokens, type HttpOptions, requestJson } from './http'
import type { Problem } from './problem'

/** What the store is created with (`extraArgument`). */
export interface ApiExtra {
  tokens: AccessTokens
}

interface ApiOptions {
  /** No bearer is sent. By default it is, and without one the call fails and sends nothing. */
  access?: 'public'
}

/** A call by its path below /api, with what else it needs. */
type Call = { url: string } & Omit<HttpOptions, 'tokens' | 'signal'>

/** What the last failure of a call has asked for (Retry-After), in seconds. */
const asked = new WeakMap<AbortSignal, number | undefined>()

/** One call over the site's one fetch. */
const call: BaseQueryFn<string | Call, unknown, Problem, ApiOptions> = async (
  args,
  { signal, extra },
  options,
) => {
  const { url, ...rest } = typeof args === 'string' ? { url: args } : args
  const tokens = options?.access === 'public' ? undefined : (extra as ApiExtra).tokens
  try {
    return { data: await requestJson(`/api/${url}`, { ...rest, signal, tokens }) }
  } catch (error) {
    const problem = error as Problem
    asked.set(signal, problem.kind === 'answer' ? problem.retryAfter : undefined)
    return { error: problem }
  }
}

const RETRIES = 3

/** Queries are retried when that may help; mutations never, as they may have taken effect. */
function mayRetry(problem: Problem): boolean {
  return problem.kind === 'network' || (problem.kind === 'answer' && problem.status >= 500)
}

const LONGEST_MS = 30_000

/**
 * The milliseconds before retry `attempt` (from 1): 1 s doubling, or what the server asks for (Retry-After), at most 30 s;
 * with a tenth of jitter, so that not all browsers ask at the same moment.
 */
export function retryDelay(attempt: number, retryAfter = 0): number {
  const asked = Math.max(1000 * 2 ** (attempt - 1), retryAfter * 1000)
  return Math.min(asked * (1 + Math.random() / 10), LONGEST_MS)
}

/** The typed base query of every endpoint. */
export const baseQuery = retry(call, {
  backoff: (attempt, _retries, signal) =>
    new Promise((resolve) => setTimeout(resolve, retryDelay(attempt, signal && asked.get(signal)))),
  retryCondition: (error, _args, { attempt, baseQueryApi }) =>
    baseQueryApi.type === 'query' && attempt <= RETRIES && mayRetry(error as unknown as Problem),
})
