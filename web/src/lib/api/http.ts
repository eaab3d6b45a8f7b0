import type { GenericSchema } from 'valibot'
import { noteServerTime } from '../server-time'
import { answerOf, answerProblem, isProblem, type Problem } from './problem'

/** The source of bearer tokens. */
export interface AccessTokens {
  current(): string | null
  /** Whose token it is: the account's id. */
  owner(): string | null
  /**
   * Renews the access token that the API refused. Resolves to null when the session is over; rejects when the server
   * did not answer.
   */
  renew(refused: string): Promise<string | null>
}

export interface HttpOptions {
  method?: 'GET' | 'POST' | 'PUT'
  /** Parameters of the query; those that are undefined are left out. */
  params?: Record<string, string | number | undefined>
  headers?: Record<string, string>
  /** Plain objects are sent as JSON, everything else as it is. */
  body?: unknown
  cache?: RequestCache
  /** Default: those of this site. */
  credentials?: RequestCredentials
  /** Milliseconds for one attempt, its body included. Default: 15 s. */
  timeout?: number
  signal?: AbortSignal
  /** Sends the bearer; without a session nothing is sent. */
  tokens?: AccessTokens
}

const TIMEOUT_MS = 15_000

/**
 * The site's only caller of `fetch`. Resolves to what `read` makes of a successful response; rejects with a
 * `Problem`. After a 401 the bearer is renewed and the call retried once, for the same person.
 */
export async function request<Answer>(
  path: string,
  options: HttpOptions,
  read: (response: Response) => Promise<Answer>,
): Promise<Answer> {
  const { tokens } = options
  if (!tokens) return attempt(path, options, null, read)
  const token = tokens.current()
  const owner = tokens.owner()
  if (!token) throw problem({ kind: 'no-session' })
  try {
    return await attempt(path, options, token, read)
  } catch (error) {
    if (answerOf(error)?.status !== 401) throw error
    const renewed = await renew(tokens, token)
    // Another tab may have signed in somebody else, for whom nobody has asked for this.
    if (tokens.owner() !== owner) throw problem({ kind: 'no-session' })
    return attempt(path, options, renewed, read)
  }
}

/** The same for a JSON response; null when it is empty. */
export async function requestJson<Answer = unknown>(
  path: string,
  options: HttpOptions = {},
  shape?: GenericSchema<Answer>,
): Promise<Answer> {
  const answer = await request(path, options, async (response) => {
    const text = await response.text()
    return text ? (JSON.parse(text) as unknown) : null
  })
  if (!shape) return answer as Answer
  const checked = await shape['~standard'].validate(answer)
  if (checked.issues) throw problem({ kind: 'unusable' })
  return checked.value
}

/** Types what is thrown: nothing but a `Problem`. */
const problem = (problem: Problem): Problem => problem

async function renew(tokens: AccessTokens, refused: string): Promise<string> {
  const token = await tokens.renew(refused).catch(() => {
    throw problem({ kind: 'network' })
  })
  if (!token) throw problem({ kind: 'no-session' })
  return token
}

async function attempt<Answer>(
  path: string,
  options: HttpOptions,
  token: string | null,
  read: (response: Response) => Promise<Answer>,
): Promise<Answer> {
  const { params = {}, timeout = TIMEOUT_MS, signal } = options
  // Not AbortSignal.timeout and AbortSignal.any, which Safari 15 does not have.
  const aborter = new AbortController()
  const abort = () => aborter.abort()
  const timer = setTimeout(abort, timeout)
  signal?.addEventListener('abort', abort)
  if (signal?.aborted) abort()
  try {
    const url = withQuery(path, params)
    const response = await fetch(url, { ...init(options, token), signal: aborter.signal })
    // Only what has a bearer: other answers may come from a cache, with the time of then.
    if (token) noteServerTime(response.headers.get('Date'))
    if (response.ok) return await read(response)
    const body: unknown = await response.json().catch(() => null)
    const retryAfter = response.headers.get('Retry-After')
    throw answerProblem(response.status, response.statusText, body, retryAfter)
  } catch (error) {
    throw isProblem(error) ? error : problem({ kind: 'network' })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

function withQuery(path: string, params: NonNullable<HttpOptions['params']>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined) query.set(name, String(value))
  }
  const text = query.toString()
  return text ? `${path}?${text}` : path
}

function init(options: HttpOptions, token: string | null): RequestInit {
  const { method = 'GET', body, cache, credentials = 'same-origin' } = options
  const json = isPlainObject(body)
  return {
    method,
    credentials,
    ...(cache && { cache }),
    headers: {
      ...(json && { 'Content-Type': 'application/json' }),
      ...(token && { Authorization: `Bearer ${token}` }),
      ...options.headers,
    },
    ...(body !== undefined && { body: json ? JSON.stringify(body) : (body as BodyInit) }),
  }
}

function isPlainObject(value: unknown): boolean {
  return Object.prototype.toString.call(value) === '[object Object]'
}
