/**
 * What is known about a word of the server's, such as a status; undefined for one that a newer server has and
 * this page does not know, which is then shown as it is.
 */
export function lookup<Value>(
  known: Readonly<Record<string, Value>>,
  word: string,
): Value | undefined {
  return Object.hasOwn(known, word) ? known[word] : undefined
}
