import type { Metadata } from 'next'
import { MessagePage } from '@/components/message-page/message-page'
import { paths } from '@/config/paths'
import { site } from '@/config/site'

export const metadata: Metadata = { title: 'Not joined', robots: { index: false } }

/** Where the waitlist form leads instead of /joined, whatever the reason: the address may be on the waitlist all the same. */
export default function JoinFailedPage() {
  const { support } = site.emails
  return (
    <MessagePage
      title="Something went wrong. Please try again."
      link={{ href: paths.home, label: 'Return to Home' }}
    >
      We could not take your address just now. If it does not work again, write to{' '}
      <a href={`mailto:${support}`}>{support}</a> and we add you.
    </MessagePage>
  )
}
