import { NO_SESSION } from './messages'

/** Why a call failed, in the only form that the rest of the site sees. */
export type Problem =
  /** The server answered, but not with success. `text` is its own wording, fit to be shown. */
  | {
      kind: 'answer'
      status: number
      statusText: string
      text?: string
      code?: string
      /** What the server has now, where it refused to change what is out of date. */
      current?: unknown
      /** After how many seconds the server will take another try. */
      retryAfter?: number
    }
  /** No answer: offline, timed out, or not JSON. */
  | { kind: 'network' }
  /** An answer of another shape than this page knows, from another version of the server. */
  | { kind: 'unusable' }
  /** The call needs a signed-in person and there is none; nothing was sent. */
  | { kind: 'no-session' }

const kinds = new Set<string>(['answer', 'network', 'unusable', 'no-session'])

export function isProblem(value: unknown): value is Problem {
  const kind = (value as { kind?: unknown } | null | undefined)?.kind
  return typeof kind === 'string' && kinds.has(kind)
}

/**
 * The sentence to show for a failure: the server's own words where it sent some, `wordless` for an
 * answer without any or of an unknown shape, and `unanswered` when nothing came back.
 */
export function problemText(error: unknown, wordless: string, unanswered = wordless): string {
  if (!isProblem(error)) return unanswered
  if (error.kind === 'no-session') return NO_SESSION
  if (error.kind === 'network') return unanswered
  return error.kind === 'answer' ? (error.text ?? wordless) : wordless
}

/** The status text of an answer, for the messages that quote it. */
export function statusTextOf(error: unknown): string {
  if (!isProblem(error)) return 'Unknown error'
  if (error.kind === 'no-session') return NO_SESSION
  if (error.kind === 'network') return 'Network error'
  return error.kind === 'answer' ? error.statusText : 'Unexpected answer'
}

/** HTTP/2 carries no reason phrase, so the phrases of the answers that the API gives stand here. */
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
 * Builds the problem of an unsuccessful answer from its status, whatever body it had, and its header
 * Retry-After, of which a number of seconds counts.
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
