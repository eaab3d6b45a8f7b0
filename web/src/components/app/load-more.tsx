import { type RefObject, useRef } from 'react'
import { useFocusFallback } from '@/lib/use-focus-fallback'
import { Button } from '../button'
import styles from './load-more.module.css'

interface LoadMoreProps {
  list: {
    hasNextPage: boolean
    isFetchingNextPage: boolean
    fetchNextPage: () => unknown
    isError?: boolean
  }
  /** The list's element. It gets the focus when the button goes away, so it has to be focusable. */
  listRef: RefObject<HTMLElement | null>
  label?: string
  /** The button stays after a failure, which it retries. Otherwise the list's `LoadFailure` does. */
  retries?: boolean
  /** A class for the space around the button. */
  className?: string
}

/** The button that fetches the next page of a list; not rendered on the last page. */
export function LoadMore({ retries = false, ...props }: LoadMoreProps) {
  const { hasNextPage, isError = false } = props.list
  return hasNextPage && (retries || !isError) ? <More {...props} /> : null
}

function More({
  list,
  listRef,
  label = 'Load more',
  className = '',
}: Omit<LoadMoreProps, 'retries'>) {
  const part = useRef<HTMLDivElement>(null)
  useFocusFallback(part, () => listRef.current)
  return (
    <div ref={part} className={`${styles.more} ${className}`}>
      <Button
        variant="secondary"
        size="dense"
        pending={list.isFetchingNextPage}
        data-event="load_more"
        onClick={() => void list.fetchNextPage()}
      >
        {list.isFetchingNextPage ? 'Loading...' : label}
      </Button>
    </div>
  )
}
