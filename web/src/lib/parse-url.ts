/** The address that `text` names, relative to `base` if there is one; null when it names none. */
export function parseUrl(text: string, base?: string): URL | null {
  // Not URL.canParse and URL.parse, which Safari 16 does not have.
  try {
    return new URL(text, base)
  } catch {
    return null
  }
}
