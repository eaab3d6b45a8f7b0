import { BackLink } from '@/components/back-link/back-link'
import { island } from '@/components/island'
import { JsonLd } from '@/components/json-ld'
import { Contents } from '@/components/prose/contents'
import { Prose } from '@/components/prose/prose'
import { SiteFooter } from '@/components/site-footer/site-footer'
import { paths } from '@/config/paths'
import { readLegal } from '@/lib/content/legal'
import { breadcrumbs } from '@/lib/structured-data'
import { Today } from './today'
import styles from './legal-document.module.css'

const LiveToday = island('today', Today)

/** A legal text with its table of contents. */
export async function LegalDocument({
  document,
  title,
}: {
  document: 'terms' | 'privacy'
  title: string
}) {
  const { html, headings } = await readLegal(document)
  return (
    <>
      <JsonLd things={[breadcrumbs([{ name: title, path: paths[document] }])]} />
      <main id="main" className={styles.page}>
        <BackLink href={paths.home}>Back to Home</BackLink>
        <header className={styles.head}>
          <h1>{title}</h1>
          <p>
            Last updated: <LiveToday built={new Date().toISOString().slice(0, 10)} />
          </p>
        </header>
        <div className={styles.columns}>
          <Contents headings={headings} />
          <Prose html={html} />
        </div>
      </main>
      <SiteFooter />
    </>
  )
}
