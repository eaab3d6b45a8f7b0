import { http, HttpResponse, type JsonBodyType, type RequestHandler } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll } from 'vitest'
import type { ApiError } from '@/lib/api/types'
import type { paths } from '@/lib/api/schema'

/**
 * The API of a test: answers are checked against the OpenAPI description by the compiler. Nobody is staff, no wave of
 * approvals is under way, no customer waits or has an account or is on the waitlist, no colleague has a ticket open, and
 * the installation has no settings, unless a test says so.
 */
export const server = setupServer(
  http.get('*/api/is-admin', () => HttpResponse.json({ isAdmin: false, isModerator: false })),
  http.get('*/api/get-waves', () => HttpResponse.json({ data: [] })),
  http.get('*/api/get-support-tickets', () =>
    HttpResponse.json({ data: [], pagination: { page: 1, limit: 1, total: 0, totalPages: 0 } }),
  ),
  http.get('*/api/get-person', () => HttpResponse.json({ error: 'Unknown' }, { status: 404 })),
  http.get('*/api/get-waitlist-users', () =>
    HttpResponse.json({ data: [], nextCursor: null, undelivered: 0, unconfirmed: 0 }),
  ),
  http.post('*/api/view-support-ticket', () => HttpResponse.json({ version: 0, others: [] })),
  http.post('*/api/note-download', () => new HttpResponse(null, { status: 204 })),
  http.post('*/api/open-invitation', () => new HttpResponse(null, { status: 204 })),
  http.get('*/config.json', () => HttpResponse.json({})),
)

beforeAll(() => {
  server.listen({ onUnhandledRequest: 'error' })
  // Node's fetch has no page address to resolve '/api' against, as a browser's has.
  const intercepted = globalThis.fetch
  globalThis.fetch = (input, init) =>
    intercepted(typeof input === 'string' ? new URL(input, location.origin) : input, init)
})
afterEach(() => {
  server.resetHandlers()
  for (const end of unended.splice(0)) end()
})
afterAll(() => server.close())

type Method = 'get' | 'post' | 'put'
type Operation<Path extends keyof paths, M extends Method> = NonNullable<paths[Path][M]>
type Ok<Path extends keyof paths, M extends Method> =
  Operation<Path, M> extends {
    responses: { 200: { content: { 'application/json': infer Body } } }
  }
    ? Body
    : null

/** What was sent: the value of a JSON body, the text of any other. */
function bodyOf(text: string, type: string | null): unknown {
  if (!text) return undefined
  return type?.startsWith('text/') ? text : JSON.parse(text)
}

/** What a handler may look at. */
export interface Call {
  request: Request
  url: URL
  body: unknown
  bearer: string | null
}

type Answer<Body> = Body | Response | Promise<Body | Response>

function handle(method: Method, path: string, answer: (call: Call) => unknown): RequestHandler {
  const pattern = `*${path.replaceAll(/\{(\w+)\}/g, ':$1')}`
  return http[method](pattern, async ({ request }) => {
    const text = await request.clone().text()
    const result = await answer({
      request,
      url: new URL(request.url),
      body: bodyOf(text, request.headers.get('content-type')),
      bearer: request.headers.get('authorization')?.replace('Bearer ', '') ?? null,
    })
    if (result instanceof Response) return result
    return HttpResponse.json(result as JsonBodyType)
  })
}

/** Lets GET `path` answer with `answer`, whose shape is the described one. */
export function onGet<Path extends keyof paths>(
  path: Path,
  answer: (call: Call) => Answer<Ok<Path, 'get'>>,
): void {
  server.use(handle('get', path, answer))
}

/** Lets POST `path` answer with `answer`, whose shape is the described one. */
export function onPost<Path extends keyof paths>(
  path: Path,
  answer: (call: Call) => Answer<Ok<Path, 'post'>>,
): void {
  server.use(handle('post', path, answer))
}

/** Lets PUT `path` answer with `answer`, whose shape is the described one. */
export function onPut<Path extends keyof paths>(
  path: Path,
  answer: (call: Call) => Answer<Ok<Path, 'put'>>,
): void {
  server.use(handle('put', path, answer))
}

/** A failure in the API's own shape. */
export function failure(status: number, error: string, statusText?: string): Response {
  return HttpResponse.json(bodyOfError(error, 'test_failure'), {
    status,
    ...(statusText && { statusText }),
  })
}

/** A failure with a code that the site knows. */
export function refusal(status: number, code: string): Response {
  return HttpResponse.json(bodyOfError('The server says no.', code), { status })
}

const bodyOfError = (error: string, code: string): ApiError => ({
  error,
  code,
  requestId: '0'.repeat(32),
})

const unended: (() => void)[] = []

/** No answer before the test ends. Without any, the query would be repeated, and answered by what a later test serves. */
export function unanswered(): Promise<Response> {
  return new Promise((resolve) => unended.push(() => resolve(failure(403, 'The test is over.'))))
}

/** No answer at all. */
export function offline(): Response {
  return HttpResponse.error()
}
