import { paths } from '@/config/paths'
import { site } from '@/config/site'
import { LegalDocument } from '@/features/legal/legal-document'
import { pageMetadata } from '@/lib/open-graph'

const title = 'Privacy Policy'

export const metadata = pageMetadata({
  title,
  description: `What ${site.name} learns about you, what we do with it, and what you can ask of us.`,
  path: paths.privacy,
})

export default function PrivacyPage() {
  return <LegalDocument document="privacy" title={title} />
}
