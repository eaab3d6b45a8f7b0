import { type AccessTokens, request } from './http'

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

/** As long as a person may wait for a file, in milliseconds. */
const TIMEOUT_MS = 600_000

/**
 * Fetches a file from the API with the person's bearer, which a link cannot carry. Rejects with a
 * `Problem`. Not over RTK: a file does not belong in the store.
 */
export async function download(
  route: string,
  params: Record<string, string>,
  tokens: AccessTokens,
  { fallbackName, signal }: { fallbackName: string; signal: AbortSignal },
): Promise<Download> {
  const options = { params, tokens, signal, timeout: TIMEOUT_MS }
  return request(`/api/${route}`, options, async (response) => ({
    name: nameIn(response.headers.get('Content-Disposition')) ?? fallbackName,
    // Rejects when the connection breaks before the file is complete.
    content: await response.blob(),
  }))
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
