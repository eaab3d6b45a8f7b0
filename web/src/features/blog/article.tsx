import { BackLink } from '@/components/back-link/back-link'
import { Contents } from '@/components/prose/contents'
import { Prose } from '@/components/prose/prose'
import { SiteFooter } from '@/components/site-footer/site-footer'
import { paths } from '@/config/paths'
import { readArticle } from '@/lib/content/articles'
import { englishDate } from '@/lib/format-date'
import { ShareButton } from './share-button'
import styles from './article.module.css'

/** One article. Ships without the Next run-time; src/page-script brings share and dates to life. */
export async function ArticleView({ slug }: { slug: string }) {
  const article = await readArticle(slug)
  return (
    <>
      <div className={styles.progress} aria-hidden="true" />
      <main id="main" className={styles.page}>
        <div className={styles.bar}>
          <BackLink href={paths.blog}>Back to Blog</BackLink>
          <ShareButton article={article} />
        </div>
        <article className={styles.article}>
          <header className={styles.head}>
            <p className={styles.meta}>
              <time dateTime={article.date} data-local="">
                {englishDate(article.date)}
              </time>
              <span>{article.readTime}</span>
            </p>
            <h1>{article.title}</h1>
            <p className={styles.excerpt}>{article.excerpt}</p>
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
              <ShareButton article={article} />
            </footer>
          </div>
        </article>
      </main>
      <SiteFooter />
    </>
  )
}
