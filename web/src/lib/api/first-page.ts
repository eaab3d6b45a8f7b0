interface Listed {
  pages: { data: { id: string }[]; nextCursor: string | null }[]
  pageParams: string[]
}

/**
 * Merges a refetched first page into a list with further pages, so that those need not be refetched: everything up to
 * the last entry of `fresh` is replaced by it, the rest stays.
 */
export function mergeFirstPage<List extends Listed>(
  list: List,
  fresh: List['pages'][number],
): void {
  const end = fresh.data.at(-1)?.id
  const loaded = list.pages.flatMap((page) => page.data.map(({ id }) => id))
  const at = end === undefined || fresh.nextCursor === null ? -1 : loaded.indexOf(end)
  if (at < 0) {
    list.pages.splice(0, Infinity, fresh)
    list.pageParams.splice(1)
    return
  }
  const replaced = new Set([...loaded.slice(0, at + 1), ...fresh.data.map(({ id }) => id)])
  for (const page of list.pages) {
    if (page.data.some(({ id }) => replaced.has(id))) {
      page.data = page.data.filter(({ id }) => !replaced.has(id))
    }
  }
  const [first] = list.pages
  list.pages[0] = { ...fresh, data: [...fresh.data, ...(first?.data ?? [])] }
}
