import { paths } from '@/config/paths'
import { MessagePage } from './message-page/message-page'

/** The default error screen: what went wrong, in the error's own words. */
export function ErrorScreen({ error }: { error: Error }) {
  return (
    <MessagePage
      title="Unexpected Application Error!"
      link={{ href: paths.home, label: 'Return to Home' }}
    >
      {error.message || 'Unknown error'}
    </MessagePage>
  )
}
