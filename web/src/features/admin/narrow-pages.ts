/** The rows that match, by their pages; pages with none are left out, and those with all stay as they are. */
export function narrowPages<Row>(pages: readonly Row[][], matches: (row: Row) => boolean): Row[][] {
  return pages
    .map((page) => (page.every(matches) ? page : page.filter(matches)))
    .filter((page) => page.length > 0)
}
