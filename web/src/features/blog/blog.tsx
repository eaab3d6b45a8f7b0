import { BackLink } from '@/components/back-link/back-link'
import { island } from '@/components/island'
import { SiteFooter } from '@/components/site-footer/site-footer'
import { paths } from '@/config/paths'
import { site } from '@/config/site'
import { listArticles } from '@/lib/content/articles'
import { ArticleList } from './article-list'
import styles from './blog.module.css'

const LiveArticleList = island('article-list', ArticleList)

/** The blog's front page. */
export async function Blog() {
  return (
    <>
      <main id="main" className={styles.page}>
        <header className={styles.head}>
          <BackLink href={paths.home}>Back to Home</BackLink>
          <h1>{site.name} Blog</h1>
          <p>
            Insights, tutorials, and trends in <span className={styles.word}>AI-powered</span> iOS
            development
          </p>
        </header>
        <LiveArticleList articles={await listArticles()} />
      </main>
      <SiteFooter />
    </>
  )
}
