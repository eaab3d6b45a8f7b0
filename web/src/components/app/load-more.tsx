import { type RefObject, useRef } from 'react'
import { useFocusHeir } from '@/lib/use-focus-heir'
import { Button } from '../button'
import button from '../button.module.css'
import styles from './load-more.module.css'

interface LoadMoreProps {
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown }
  /** The list that grows. It has to be able to take the focus, which it gets when the button goes away. */
  grows: RefObject<HTMLElement | null>
  label?: string
  /** Of the space around the button. */
  className?: string
}

/** Fetches the next page of a list; nothing with the last page. */
export function LoadMore(props: LoadMoreProps) {
  return props.list.hasNextPage ? <More {...props} /> : null
}

function More({ list, grows, label = 'Load more', className = '' }: LoadMoreProps) {
  const part = useRef<HTMLDivElement>(null)
  useFocusHeir(part, () => grows.current)
  return (
    <div ref={part} className={`${styles.more} ${className}`}>
      <Button
        variant="secondary"
        size="dense"
        className={button.fits}
        pending={list.isFetchingNextPage}
        data-event="load_more"
        onClick={() => void list.fetchNextPage()}
      >
        {list.isFetchingNextPage ? 'Loading...' : label}
      </Button>
    </div>
  )
}
