/** Filters rows page by page. Empty pages are dropped; a page whose rows all match keeps its identity (memoization). */
export function filterPages<Row>(pages: readonly Row[][], matches: (row: Row) => boolean): Row[][] {
  return pages
    .map((page) => (page.every(matches) ? page : page.filter(matches)))
    .filter((page) => page.length > 0)
}
