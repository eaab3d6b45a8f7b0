/** Why a call failed: every call of lib/api rejects with a `Problem`. */
export type Problem =
  /** The server answered with an error. `text` is its message, which may be shown to the person. */
  | {
      kind: 'answer'
      status: number
      statusText: string
      text?: string
      code?: string
      /** The server's current version, when it refused an update of an older one (optimistic locking). */
      current?: unknown
      /** The header Retry-After in seconds. */
      retryAfter?: number
    }
  /** No usable response: offline, timed out, or not JSON. */
  | { kind: 'network' }
  /** A response that fails validation (shape.ts), such as one from another version of the server. */
  | { kind: 'unusable' }
  /** The call needs a signed-in person and there is none; nothing was sent. */
  | { kind: 'no-session' }

/** A call that needs a session, and there is none. */
export const NO_SESSION = 'No active session'
/** A refusal that has no words of its own. */
export const SOMETHING_WRONG = 'Something went wrong. Please try again.'
/** A call that did not reach the server. */
export const NETWORK_ERROR = 'Network error. Please try again.'

const kinds = new Set<string>(['answer', 'network', 'unusable', 'no-session'])

export function isProblem(value: unknown): value is Problem {
  const kind = (value as { kind?: unknown } | null | undefined)?.kind
  return typeof kind === 'string' && kinds.has(kind)
}

/** What the server answered, if it is why a call failed. */
export const answerOf = (error: unknown) =>
  isProblem(error) && error.kind === 'answer' ? error : null

/** Whether a failed call says nothing of what was asked, and may succeed later: no answer, a failure, or a limit. */
export function mayAnswerLater(error: unknown): boolean {
  const status = answerOf(error)?.status
  return status === undefined || status >= 500 || status === 408 || status === 429
}

/**
 * The message to show for a failure: the server's own if it sent one, else `fallback` (SOMETHING_WRONG). Without a
 * response it is `onNetworkError`: the fallback if one is given, else NETWORK_ERROR.
 */
export function problemText(
  error: unknown,
  fallback?: string,
  onNetworkError = fallback ?? NETWORK_ERROR,
): string {
  if (!isProblem(error) || error.kind === 'network') return onNetworkError
  if (error.kind === 'no-session') return NO_SESSION
  return (error.kind === 'answer' && error.text) || (fallback ?? SOMETHING_WRONG)
}

/** The status text of a failed call, for messages that quote it. */
export function statusTextOf(error: unknown): string {
  if (!isProblem(error)) return 'Unknown error'
  if (error.kind === 'no-session') return NO_SESSION
  if (error.kind === 'network') return 'Network error'
  return error.kind === 'answer' ? error.statusText : 'Unexpected answer'
}

/** The reason phrases of the API's responses, which HTTP/2 does not transmit. */
const phrases: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
}

/**
 * Builds the problem of an error response from its status, its body of whatever shape, and its header Retry-After, of
 * which only the form in seconds is read.
 */
export function answerProblem(
  status: number,
  statusText: string,
  body: unknown,
  retryAfter?: string | null,
): Problem {
  const seconds = Number(retryAfter)
  const { error, code, current } = (body ?? {}) as Record<'error' | 'code' | 'current', unknown>
  return {
    kind: 'answer',
    status,
    statusText: statusText || phrases[status] || `HTTP ${status}`,
    ...(typeof error === 'string' && error !== '' ? { text: error } : {}),
    ...(typeof code === 'string' ? { code } : {}),
    ...(current === undefined ? {} : { current }),
    ...(seconds > 0 ? { retryAfter: seconds } : {}),
  }
}
