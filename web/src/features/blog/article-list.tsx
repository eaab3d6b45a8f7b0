'use client'

import { useEffect, useRef } from 'react'
import type { ArticleSummary } from '@/lib/content/articles'
import { ArticleCard } from './article-card'
import { ALL, distinctTags, filterArticles } from './filter'
import { useFilter } from './use-filter'
import styles from './article-list.module.css'

interface SectionProps {
  title: string
  articles: ArticleSummary[]
  look: 'featured' | 'rest' | 'others'
}

function Section({ title, articles, look }: SectionProps) {
  if (articles.length === 0) return null
  return (
    <section aria-labelledby={look}>
      <h2 id={look} className={styles.heading}>
        {title}
      </h2>
      <ul role="list" className={styles[look]}>
        {articles.map((article) => (
          <ArticleCard
            key={article.slug}
            article={article}
            tags={look === 'others' ? article.tags.slice(0, 2) : article.tags}
            large={look === 'featured'}
          />
        ))}
      </ul>
    </section>
  )
}

/** Search box, tag chips and the lists of the blog. */
export function ArticleList({ articles }: { articles: ArticleSummary[] }) {
  const tags = distinctTags(articles)
  const { filter, setFilter, box } = useFilter(tags)
  const { tag, search } = filter
  const chips = useRef<HTMLDivElement>(null)
  const found = filterArticles(articles, search, tag)
  const featured = articles.filter((article) => article.featured)

  // On a narrow screen the chips are one row, in which the chosen one may be beyond the edge.
  useEffect(() => {
    const row = chips.current
    const chosen = row?.querySelector<HTMLElement>('[aria-pressed="true"]')
    if (row && chosen)
      row.scrollLeft = chosen.offsetLeft - (row.clientWidth - chosen.offsetWidth) / 2
  }, [tag])

  return (
    <>
      <div className={styles.filter} role="search">
        <input
          type="search"
          className={styles.search}
          placeholder="Search articles..."
          aria-label="Search articles"
          // The address has the filter; a browser that restores the field as well would disagree.
          autoComplete="off"
          ref={box}
          onInput={({ currentTarget: { value } }) =>
            setFilter((filter) => ({ ...filter, search: value }))
          }
        />
        <div ref={chips} className={styles.chips} role="group" aria-label="Filter by tag">
          {[ALL, ...tags].map((name) => (
            <button
              key={name}
              type="button"
              className={styles.chip}
              aria-pressed={tag === name}
              data-event="filter_articles"
              onClick={() => setFilter((filter) => ({ ...filter, tag: name }))}
            >
              {name === ALL ? 'All Posts' : name}
            </button>
          ))}
        </div>
      </div>

      <p className={styles.empty} role="status">
        {found.length === 0 ? 'No articles found matching your criteria.' : null}
      </p>
      <Section
        title="Featured Articles"
        articles={featured.filter((article) => found.includes(article))}
        look="featured"
      />
      <Section
        title={tag === ALL ? 'All Articles' : `${tag} Articles`}
        articles={found.filter((article) => !article.featured)}
        look="others"
      />
      {/* Featured articles stay, whatever is looked for. */}
      <Section
        title="More featured articles"
        articles={featured.filter((article) => !found.includes(article))}
        look="rest"
      />
    </>
  )
}
