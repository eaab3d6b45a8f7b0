export interface Loading {
  refetch: () => unknown
  /** Only lists have these two. */
  fetchNextPage?: () => unknown
  isFetchNextPageError?: boolean
}

/** Retries what has failed: the next page of a list, whose other pages stay, or else the whole query. */
export function retryLoading({ isFetchNextPageError, fetchNextPage, refetch }: Loading): void {
  if (isFetchNextPageError && fetchNextPage) void fetchNextPage()
  else void refetch()
}
