/** As many rows as are drawn at once, and laid out at once when they come near the viewport. */
const GROUP = 20

/** The rows of a page in groups. */
export function groupsOf<Row>(page: readonly Row[]): Row[][] {
  const count = Math.ceil(page.length / GROUP)
  return Array.from({ length: count }, (_, n) => page.slice(n * GROUP, (n + 1) * GROUP))
}
