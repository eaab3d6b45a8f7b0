import { Button } from '@chakra-ui/react'

interface LoadMoreProps {
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown }
}

/** Fetches the next page of a list, where there is one. */
export function LoadMore({ list }: LoadMoreProps) {
  if (!list.hasNextPage) return null
  return (
    <Button
      variant="outline"
      alignSelf="center"
      disabled={list.isFetchingNextPage}
      onClick={() => void list.fetchNextPage()}
    >
      {list.isFetchingNextPage ? 'Loading...' : 'Load more'}
    </Button>
  )
}
