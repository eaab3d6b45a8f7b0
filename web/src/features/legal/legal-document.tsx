import { BackLink } from '@/components/back-link/back-link'
import { Contents } from '@/components/prose/contents'
import { Prose } from '@/components/prose/prose'
import { SiteFooter } from '@/components/site-footer/site-footer'
import { paths } from '@/config/paths'
import { readLegal } from '@/lib/content/legal'
import { englishDate } from '@/lib/format-date'
import styles from './legal-document.module.css'

/** A legal text with its table of contents. The page script sets the last-updated date to today. */
export async function LegalDocument({
  document,
  title,
}: {
  document: 'terms' | 'privacy'
  title: string
}) {
  const { html, headings } = await readLegal(document)
  const built = new Date().toISOString().slice(0, 10)
  return (
    <>
      <main id="main" className={styles.page}>
        <BackLink href={paths.home}>Back to Home</BackLink>
        <header className={styles.head}>
          <h1>{title}</h1>
          <p>
            Last updated:{' '}
            <time dateTime={built} data-today="">
              {englishDate(built)}
            </time>
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
