import { parseUrl } from '@/lib/parse-url'

/** The address as it is, if a browser may be sent there; null for anything that is no web page. */
export function webAddress(text: unknown): string | null {
  const url = typeof text === 'string' ? parseUrl(text) : null
  return url && ['https:', 'http:'].includes(url.protocol) ? (text as string) : null
}
