import type { Metadata } from 'next'
import { MessagePage } from '@/components/message-page/message-page'
import { paths } from '@/config/paths'

export const metadata: Metadata = { title: 'Joined', robots: { index: false } }

/** Where the waitlist form leads when the browser sent it by itself, without the page's script. */
export default function JoinedPage() {
  return (
    <MessagePage
      title="You're on the waitlist!"
      link={{ href: paths.home, label: 'Return to Home' }}
    >
      We&apos;ll notify you by email when your place is ready.
    </MessagePage>
  )
}
