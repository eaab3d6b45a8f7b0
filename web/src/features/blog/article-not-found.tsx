import { MessagePage } from '@/components/message-page/message-page'
import { paths } from '@/config/paths'

/** Served for every unknown slug. */
export function ArticleNotFound() {
  return (
    <MessagePage title="Article Not Found" link={{ href: paths.blog, label: 'Back to Blog' }}>
      The article you&apos;re looking for doesn&apos;t exist.
    </MessagePage>
  )
}
