import type { Metadata } from 'next'
import { paths } from '@/config/paths'
import { site } from '@/config/site'
import { LegalDocument } from '@/features/legal/legal-document'
import { openGraph } from '@/lib/open-graph'

const title = 'Terms and Conditions'
const description = `The agreement between you and us about the ${site.name} website, desktop app and services.`

export const metadata: Metadata = {
  title,
  description,
  alternates: { canonical: paths.terms },
  openGraph: openGraph({ title: `${title} · ${site.name}`, description, url: paths.terms }),
}

export default function TermsPage() {
  return <LegalDocument document="terms" title={title} />
}
