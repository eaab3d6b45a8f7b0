'use client'

import { useEffect } from 'react'
import { paths } from '@/config/paths'
import { Button } from './button'
import { MessagePage } from './message-page/message-page'

interface ErrorScreenProps {
  error: Error
  /** Renders what has failed again. */
  onRetry: () => void
}

/** The default error screen: what went wrong, in the error's own words, and the ways on. */
export function ErrorScreen({ error, onRetry }: ErrorScreenProps) {
  useEffect(() => {
    // The observer may be in the part of the page that this replaces.
    void import('@/lib/analytics/observe').then(
      ({ recordProblem }) => recordProblem('page_failed'),
      () => {},
    )
  }, [])

  return (
    <MessagePage
      title="Unexpected Application Error!"
      link={{ href: paths.home, label: 'Return to Home' }}
      action={
        <Button variant="secondary" data-event="try_again" onClick={onRetry}>
          Try again
        </Button>
      }
    >
      {error.message || 'Unknown error'}
    </MessagePage>
  )
}
