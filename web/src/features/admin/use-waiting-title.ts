import { useEffect } from 'react'
import { useGetWaitingQuery } from '@/lib/api/support-api'

/** How often the number is asked for, in milliseconds. */
const EVERY_MS = 60_000

/** Keeps the number of customers who wait for an answer in the title of the browser's tab, such as '(3) Admin'. */
export function useWaitingTitle(): void {
  const { data = 0 } = useGetWaitingQuery(undefined, { pollingInterval: EVERY_MS })
  useEffect(() => {
    if (data === 0) return
    const title = document.title
    document.title = `(${data}) ${title}`
    return () => {
      // A page that was opened meanwhile has a title of its own.
      if (document.title === `(${data}) ${title}`) document.title = title
    }
  }, [data])
}
