import type { AccessTokens } from './base-query'
import { answerProblem, type Problem } from './problem'

/** A file that the API wrote, under the name that it gave. */
export interface Download {
  name: string
  content: Blob
}

/** The name in a Content-Disposition header, without anything that could lead out of a folder. */
function nameIn(header: string | null): string | undefined {
  const quoted = /filename="([^"]+)"/.exec(header ?? '')?.[1]
  return quoted?.replaceAll(/[^\w. -]/g, '_')
}

async function get(url: string, token: string, signal: AbortSignal): Promise<Response> {
  return fetch(url, {
    credentials: 'same-origin',
    headers: { Authorization: `Bearer ${token}` },
    signal,
  })
}

/**
 * Fetches a file from the API with the person's bearer, which a link cannot carry. A refused bearer
 * is renewed and the call repeated, once. Rejects with a `Problem`. Plain fetch: a file does not
 * belong in the store.
 */
export async function download(
  route: string,
  params: Record<string, string>,
  tokens: AccessTokens,
  { fallbackName, signal }: { fallbackName: string; signal: AbortSignal },
): Promise<Download> {
  const token = tokens.current()
  if (!token) throw { kind: 'no-session' } satisfies Problem
  const query = new URLSearchParams(params)
  const url = `/api/${route}${query.size > 0 ? `?${query}` : ''}`
  try {
    let response = await get(url, token, signal)
    if (response.status === 401) {
      const renewed = await tokens.renew(token).catch(() => null)
      if (renewed) response = await get(url, renewed, signal)
    }
    if (!response.ok) {
      throw answerProblem(
        response.status,
        response.statusText,
        await response.json().catch(() => null),
      )
    }
    // Rejects when the connection breaks before the file is complete.
    const content = await response.blob()
    return { name: nameIn(response.headers.get('Content-Disposition')) ?? fallbackName, content }
  } catch (error) {
    throw (error as { kind?: unknown }).kind ? error : ({ kind: 'network' } satisfies Problem)
  }
}

/** Hands a file to the browser, which asks for or knows the place to keep it. */
export function saveFile({ name, content }: Download): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser has taken the file by the next task; some take longer than one.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
