'use client'

import { useEffect, useRef, useState } from 'react'
import type { ArticleSummary } from '@/lib/content/articles'
import { ArticleCard } from './article-card'
import { ALL, distinctTags, filterArticles } from './filter'
import styles from './article-list.module.css'

/** Search box, tag chips and the two lists of the blog. */
export function ArticleList({ articles }: { articles: ArticleSummary[] }) {
  const [search, setSearch] = useState('')
  const box = useRef<HTMLInputElement>(null)
  const [tag, setTag] = useState(ALL)
  const found = filterArticles(articles, search, tag)
  const featured = articles.filter((article) => article.featured)
  // All of them stay, whatever is looked for; what is found comes first.
  const leading = featured.filter((article) => found.includes(article))
  const rest = featured.filter((article) => !found.includes(article))
  const others = found.filter((article) => !article.featured)

  // What was typed before the script came counts, too.
  useEffect(() => setSearch(box.current?.value ?? ''), [])

  return (
    <>
      <div className={styles.filter} role="search">
        <input
          type="search"
          className={styles.search}
          placeholder="Search articles..."
          aria-label="Search articles"
          ref={box}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
        <div className={styles.chips} role="group" aria-label="Filter by tag">
          {[ALL, ...distinctTags(articles)].map((name) => (
            <button
              key={name}
              type="button"
              className={styles.chip}
              aria-pressed={tag === name}
              onClick={() => setTag(name)}
            >
              {name === ALL ? 'All Posts' : name}
            </button>
          ))}
        </div>
      </div>

      <p className={styles.empty} role="status">
        {found.length === 0 ? 'No articles found matching your criteria.' : null}
      </p>
      {featured.length > 0 ? (
        <section aria-labelledby="featured">
          <h2 id="featured" className={styles.heading}>
            Featured Articles
          </h2>
          {leading.length > 0 ? (
            <ul role="list" className={styles.featured}>
              {leading.map((article) => (
                <ArticleCard key={article.slug} article={article} tags={article.tags} large />
              ))}
            </ul>
          ) : null}
          {rest.length > 0 ? (
            <ul role="list" className={styles.rest}>
              {rest.map((article) => (
                <ArticleCard key={article.slug} article={article} tags={article.tags} />
              ))}
            </ul>
          ) : null}
        </section>
      ) : null}
      {others.length > 0 ? (
        <section aria-labelledby="others" data-below="">
          <h2 id="others" className={styles.heading}>
            {tag === ALL ? 'All Articles' : `${tag} Articles`}
          </h2>
          <ul role="list" className={styles.others}>
            {others.map((article) => (
              <ArticleCard key={article.slug} article={article} tags={article.tags.slice(0, 2)} />
            ))}
          </ul>
        </section>
      ) : null}
    </>
  )
}
