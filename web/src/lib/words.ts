/** A name of the API's, such as a status, as people read it: underscores are spaces. */
export function spaced(word: string): string {
  return word.replaceAll('_', ' ')
}

/** The same at the start of a line. */
export function titled(word: string): string {
  return word.charAt(0).toUpperCase() + spaced(word).slice(1)
}
