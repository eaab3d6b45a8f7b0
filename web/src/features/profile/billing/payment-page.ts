/** The address as it is, if a browser may be sent there; null for anything that is no web page. */
export function webAddress(text: unknown): string | null {
  if (typeof text !== 'string') return null
  try {
    return ['https:', 'http:'].includes(new URL(text).protocol) ? text : null
  } catch {
    return null
  }
}
