import { parseUrl } from './parse-url'

/** An email address as it is typed or pasted, without invisible characters but the joiners that domains may have. */
export function visibleAddress(typed: string): string {
  // Zero-width characters, soft hyphens and marks of direction come with text from formatted pages.
  return typed.replaceAll(/(?![\u200c\u200d])\p{Cf}/gu, '')
}

/** An address as the server stores it, to be compared with what it lists: in lower case, with the domain in A-labels ("xn--…"). */
export function storedAddress(typed: string): string {
  const address = typed.trim().toLowerCase()
  const [, local, domain] = /^(.*@)([^\s/?#@:\\%]+)$/.exec(address) ?? []
  const url = local && parseUrl(`https://${domain}`)
  return url ? local + url.hostname : address
}
