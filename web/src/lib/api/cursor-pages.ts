/** A list that is loaded a page at a time: each page names the next. Loaded again, it is its first page. */
export const cursorPages = {
  initialPageParam: '',
  getNextPageParam: (page: { nextCursor?: string | null }) => page.nextCursor ?? undefined,
  refetchCachedPages: false,
}
