const PROBLEM = 'fledge:problem'

/**
 * Reports to the observer of the page (observe.ts) that a problem was shown. `name` is an identifier from the code,
 * such as `checkout_failed`, never the text that the person reads, which may come from a server or name a file.
 */
export function announceProblem(name: string): void {
  window.dispatchEvent(new CustomEvent<string>(PROBLEM, { detail: name }))
}

/** Calls `report` for each announced problem; the returned function stops it. */
export function onProblem(report: (name: string) => void): () => void {
  const listener = (event: Event) => report((event as CustomEvent<string>).detail)
  window.addEventListener(PROBLEM, listener)
  return () => window.removeEventListener(PROBLEM, listener)
}
