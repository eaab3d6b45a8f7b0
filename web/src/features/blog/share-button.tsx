import type { ArticleSummary } from '@/lib/content/articles'
import button from '@/components/button.module.css'

/** Hidden until the page script, which does the sharing, has taken hold of it. */
export function ShareButton({ article }: { article: Pick<ArticleSummary, 'title' | 'excerpt'> }) {
  return (
    <button
      type="button"
      hidden
      className={button.secondary}
      data-share=""
      data-title={article.title}
      data-excerpt={article.excerpt}
    >
      Share
    </button>
  )
}
