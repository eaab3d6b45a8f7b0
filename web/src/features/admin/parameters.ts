/** As long a search as the API takes. */
export const MAX_SEARCH = 254

/** A search as it can be asked for: one line, and no longer than the API takes. */
export function searchOf(raw: string): string {
  const line = raw.replaceAll(/\p{Cc}/gu, ' ').slice(0, MAX_SEARCH)
  // The cut may have gone through a character of two units.
  return line.replace(/[\uD800-\uDBFF]$/, '')
}

/** A parameter of the address is anybody's text: what is none of `values` filters nothing. */
export function oneOf<Value extends string>(
  values: readonly Value[],
  raw: string | null,
): Value | '' {
  return values.find((value) => value === raw) ?? ''
}
