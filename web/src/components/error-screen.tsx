'use client'

import { useEffect } from 'react'
import { paths } from '@/config/paths'
import { MessagePage } from './message-page/message-page'

/** The default error screen: what went wrong, in the error's own words. */
export function ErrorScreen({ error }: { error: Error }) {
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
    >
      {error.message || 'Unknown error'}
    </MessagePage>
  )
}
