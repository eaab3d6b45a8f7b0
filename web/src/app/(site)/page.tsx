import type { Metadata } from 'next'
import { JsonLd } from '@/components/json-ld'
import { paths } from '@/config/paths'
import { site } from '@/config/site'
import { Landing } from '@/features/landing/landing'
import { openGraph } from '@/lib/open-graph'
import { organization, website } from '@/lib/structured-data'

const title = `${site.name}: ${site.tagline}`

export const metadata: Metadata = {
  alternates: { canonical: paths.home },
  openGraph: openGraph({ title, description: site.description, url: paths.home }),
}

export default function LandingPage() {
  return (
    <>
      <JsonLd things={[organization(), website()]} />
      <Landing />
    </>
  )
}
