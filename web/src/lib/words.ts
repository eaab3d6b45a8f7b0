/** A label for an enum value of the API, such as a status: underscores become spaces. */
export function spaced(word: string): string {
  return word.replaceAll('_', ' ')
}

/** The same with a capital letter. */
export function titled(word: string): string {
  return word.charAt(0).toUpperCase() + spaced(word).slice(1)
}
