import { BackLink } from '@/components/back-link/back-link'
import { island } from '@/components/island'
import { JsonLd } from '@/components/json-ld'
import { Contents } from '@/components/prose/contents'
import { Prose } from '@/components/prose/prose'
import { SiteFooter } from '@/components/site-footer/site-footer'
import { paths } from '@/config/paths'
import { listArticles, readArticle } from '@/lib/content/articles'
import { blogPosting, breadcrumbs, faqPage } from '@/lib/structured-data'
import { ArticleCard } from './article-card'
import { LocalDate } from './local-date'
import { readNext } from './read-next'
import { ShareButton } from './share-button'
import styles from './article.module.css'

const LiveDate = island('local-date', LocalDate)
const LiveShareButton = island('share-button', ShareButton)

/** One article, and the way on from it. */
export async function ArticleView({ slug }: { slug: string }) {
  const article = await readArticle(slug)
  const { title, excerpt, questions } = article
  const steps = [
    { name: 'Blog', path: paths.blog },
    { name: title, path: paths.article(slug) },
  ]
  return (
    <>
      <JsonLd things={[blogPosting(article), faqPage(questions), breadcrumbs(steps)]} />
      <div className={styles.progress} aria-hidden="true" />
      <main id="main" className={styles.page}>
        <div className={styles.bar}>
          <BackLink href={paths.blog}>Back to Blog</BackLink>
          <LiveShareButton title={title} excerpt={excerpt} />
        </div>
        <article className={styles.article}>
          <header className={styles.head}>
            <p className={styles.meta}>
              <LiveDate date={article.date} />
              <span>{article.readTime}</span>
            </p>
            <h1>{title}</h1>
            <p className={styles.excerpt}>{excerpt}</p>
            <div className={styles.by}>
              <p>By {article.author}</p>
              <ul role="list" aria-label="Tags">
                {article.tags.map((tag) => (
                  <li key={tag}>{tag}</li>
                ))}
              </ul>
            </div>
          </header>
          <Contents headings={article.headings} />
          <div className={styles.body}>
            <Prose html={article.html} />
            <footer className={styles.end}>
              <LiveShareButton title={title} excerpt={excerpt} />
            </footer>
          </div>
        </article>
        <nav className={styles.next} aria-labelledby="read-next">
          <h2 id="read-next">Read next</h2>
          <ul role="list">
            {readNext(await listArticles(), slug, 2).map((next) => (
              <ArticleCard key={next.slug} article={next} tags={[]} />
            ))}
          </ul>
        </nav>
      </main>
      <SiteFooter />
    </>
  )
}
