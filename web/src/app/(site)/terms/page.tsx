import { paths } from '@/config/paths'
import { site } from '@/config/site'
import { LegalDocument } from '@/features/legal/legal-document'
import { pageMetadata } from '@/lib/open-graph'

const title = 'Terms and Conditions'

export const metadata = pageMetadata({
  title,
  description: `The agreement between you and us about the ${site.name} website, desktop app and services.`,
  path: paths.terms,
})

export default function TermsPage() {
  return <LegalDocument document="terms" title={title} />
}
