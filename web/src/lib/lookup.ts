/**
 * Looks up an enum value of the API, such as a status; undefined for one that only a newer server knows, which is then
 * shown as it is.
 */
export function lookup<Value>(
  known: Readonly<Record<string, Value>>,
  word: string,
): Value | undefined {
  return Object.hasOwn(known, word) ? known[word] : undefined
}
