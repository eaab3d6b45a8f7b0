import { visibleAddress } from '@/lib/email-address'

/** The API's maximum length of a search. */
export const MAX_SEARCH = 254

/** Cuts a search to one visible line of the API's maximum length. */
export function searchOf(raw: string): string {
  const line = visibleAddress(raw)
    .replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, MAX_SEARCH)
  // The cut may have split a surrogate pair.
  return line.replace(/[\uD800-\uDBFF]$/, '')
}

/** Validates a parameter of the address, which is untrusted: what is none of `values` becomes '', no filter. */
export function oneOf<Value extends string>(
  values: readonly Value[],
  raw: string | null,
): Value | '' {
  return values.find((value) => value === raw) ?? ''
}
