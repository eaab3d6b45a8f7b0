/** Less than this is the way of an answer, and the whole seconds of its header. */
const EXACT_MS = 5000

/** How far the server's clock is ahead of this machine's, in milliseconds. */
let ahead = 0

/** Learns the server's time from the header Date of an answer that comes from no cache. */
export function noteServerTime(date: string | null): void {
  const difference = Date.parse(date ?? '') - Date.now()
  if (!Number.isNaN(difference)) ahead = Math.abs(difference) < EXACT_MS ? 0 : difference
}

/** What the server's clock says when this machine's, which may be wrong, says `local`. */
export function serverTime(local = Date.now()): number {
  return local + ahead
}
