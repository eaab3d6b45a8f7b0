import type { ArticleSummary } from '@/lib/content/articles'

export const ALL = 'all'

/** The posts whose title or excerpt contains `search` (any case) and that carry `tag`, unless it is 'all'. */
export function filterArticles<Post extends Pick<ArticleSummary, 'title' | 'excerpt' | 'tags'>>(
  posts: readonly Post[],
  search: string,
  tag: string,
): Post[] {
  const wanted = search.trim().toLowerCase()
  return posts.filter(
    (post) =>
      (tag === ALL || post.tags.includes(tag)) &&
      (post.title.toLowerCase().includes(wanted) || post.excerpt.toLowerCase().includes(wanted)),
  )
}

/** Every distinct tag, in the order in which the posts first name it. */
export function distinctTags(posts: readonly Pick<ArticleSummary, 'tags'>[]): string[] {
  return [...new Set(posts.flatMap((post) => post.tags))]
}
