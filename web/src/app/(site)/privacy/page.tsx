import type { Metadata } from 'next'
import { paths } from '@/config/paths'
import { site } from '@/config/site'
import { LegalDocument } from '@/features/legal/legal-document'
import { openGraph } from '@/lib/open-graph'

const title = 'Privacy Policy'
const description = `What ${site.name} learns about you, what we do with it, and what you can ask of us.`

export const metadata: Metadata = {
  title,
  description,
  alternates: { canonical: paths.privacy },
  openGraph: openGraph({ title: `${title} · ${site.name}`, description, url: paths.privacy }),
}

export default function PrivacyPage() {
  return <LegalDocument document="privacy" title={title} />
}
