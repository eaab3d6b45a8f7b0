const NAME = 'fledge_hint'

/**
 * The first letter of a signed-in visitor's email from the hint cookie that the session endpoint
 * sets; 'U' when the cookie holds none, `null` when nobody is signed in. A hint only: it decides
 * which links the header shows, never what a person may do.
 */
export function readSignedInHint(cookies: string): string | null {
  for (const cookie of cookies.split(';')) {
    const [name, ...value] = cookie.trim().split('=')
    if (name !== NAME) continue
    const letter = value.join('=').replace(/^"|"$/g, '')
    try {
      return [...decodeURIComponent(letter)][0]?.toUpperCase() ?? 'U'
    } catch {
      return 'U'
    }
  }
  return null
}
