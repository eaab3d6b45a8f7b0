import { Alert } from '@/components/app/alert'
import { LoadMore } from '@/components/app/load-more'
import type { RefObject } from 'react'
import type { useEarlier } from './use-earlier'

interface EarlierMessagesProps {
  thread: Pick<ReturnType<typeof useEarlier>, 'earlier' | 'loading' | 'failed' | 'fetchEarlier'>
  listRef: RefObject<HTMLElement | null>
}

/** Above a long thread: the button that loads what was written before. */
export function EarlierMessages({ thread, listRef }: EarlierMessagesProps) {
  const { earlier, loading, failed, fetchEarlier } = thread
  return (
    <>
      <LoadMore
        list={{
          hasNextPage: earlier,
          isFetchingNextPage: loading,
          fetchNextPage: fetchEarlier,
        }}
        listRef={listRef}
        label="Load earlier messages"
      />
      {failed && <Alert>Failed to load earlier messages</Alert>}
    </>
  )
}
