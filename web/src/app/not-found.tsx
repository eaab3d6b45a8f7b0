import type { Metadata } from 'next'
import { island } from '@/components/island'
import { LogPath } from '@/components/log-path'
import { MessagePage } from '@/components/message-page/message-page'
import { VisitorsPage } from '@/components/visitors-page'
import { paths } from '@/config/paths'

export const metadata: Metadata = { title: '404', robots: { index: false } }

const PathLog = island('log-path', LogPath)

export default function NotFound() {
  return (
    <VisitorsPage>
      <MessagePage
        title="Oops! Page not found"
        link={{ href: paths.home, label: 'Return to Home' }}
      >
        There is nothing at this address. The page may have moved, or it never existed.
        <PathLog />
      </MessagePage>
    </VisitorsPage>
  )
}
