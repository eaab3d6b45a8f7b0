import { type RefObject, useEffect, useRef } from 'react'
import button from '../button.module.css'
import styles from './load-more.module.css'

interface LoadMoreProps {
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown }
  /** The list that grows. It has to be able to take the focus. */
  grows: RefObject<HTMLElement | null>
  label?: string
  /** Of the space around the button. */
  className?: string
}

/**
 * Fetches the next page of a list, where there is one. With the last page the button goes away, and the
 * focus moves from it to the list.
 */
export function LoadMore({ list, grows, label = 'Load more', className = '' }: LoadMoreProps) {
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list
  const pressed = useRef(false)

  useEffect(() => {
    if (isFetchingNextPage || !pressed.current) return
    pressed.current = false
    const dropped = document.activeElement === document.body
    if (!hasNextPage && dropped) grows.current?.focus({ preventScroll: true })
  }, [hasNextPage, isFetchingNextPage, grows])

  if (!hasNextPage) return null
  return (
    <div className={`${styles.more} ${className}`}>
      <button
        type="button"
        className={`${button.secondary} ${button.dense} ${button.fits}`}
        disabled={isFetchingNextPage}
        onClick={() => {
          pressed.current = true
          void fetchNextPage()
        }}
      >
        {isFetchingNextPage ? 'Loading...' : label}
      </button>
    </div>
  )
}
