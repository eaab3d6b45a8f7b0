const PROBLEM = 'fledge:problem'

/** Tells whoever observes the page that an error text was shown; costs nothing when nobody does. */
export function announceProblem(text: string): void {
  window.dispatchEvent(new CustomEvent<string>(PROBLEM, { detail: text }))
}

/** Calls `report` for each announced problem; the returned function stops it. */
export function onProblem(report: (text: string) => void): () => void {
  const listener = (event: Event) => report((event as CustomEvent<string>).detail)
  window.addEventListener(PROBLEM, listener)
  return () => window.removeEventListener(PROBLEM, listener)
}
