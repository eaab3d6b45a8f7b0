import { paths } from '@/config/paths'
import type { ArticleSummary } from '@/lib/content/articles'
import { formatCalendarDay } from '@/lib/dates'
import styles from './article-card.module.css'

interface ArticleCardProps {
  article: ArticleSummary
  tags: string[]
  large?: boolean
}

/** One entry of the blog list. */
export function ArticleCard({ article, tags, large = false }: ArticleCardProps) {
  return (
    <li className={styles.card} data-large={large}>
      <p className={styles.meta}>
        <time dateTime={article.date}>{formatCalendarDay(article.date)}</time>
        <span>{article.readTime}</span>
      </p>
      <h3>
        <a href={paths.article(article.slug)}>{article.title}</a>
      </h3>
      <p className={styles.excerpt}>{article.excerpt}</p>
      <p className={styles.foot}>
        <span>By {article.author}</span>
        {tags.map((tag) => (
          <span key={tag} className={styles.tag}>
            {tag}
          </span>
        ))}
      </p>
    </li>
  )
}
