interface Listed {
  pages: { data: { id: string }[]; nextCursor: string | null }[]
  pageParams: string[]
}

/**
 * Puts the first page as the server has it now into a list of which more may be loaded, instead of loading
 * all of it again: up to the last entry of `fresh` that page is the truth, and what was loaded after it stays.
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
