import type { Metadata } from 'next'
import { MessagePage } from '@/components/message-page/message-page'
import { paths } from '@/config/paths'

export const metadata: Metadata = { title: 'Confirm your email address', robots: { index: false } }

/** As `/joined`, where addresses have to be confirmed. */
export default function ConfirmSentPage() {
  return (
    <MessagePage title="Almost there" link={{ href: paths.home, label: 'Return to Home' }}>
      If this address is new here, we&apos;ve sent it an email: please confirm by the link in it.
    </MessagePage>
  )
}
