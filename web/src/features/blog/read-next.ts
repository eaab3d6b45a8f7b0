import type { ArticleSummary } from '@/lib/content/articles'

/** The `count` articles that share most tags with the one called `slug`; of equals, those that come first. */
export function readNext<Post extends Pick<ArticleSummary, 'slug' | 'tags'>>(
  posts: readonly Post[],
  slug: string,
  count: number,
): Post[] {
  const read = posts.find((post) => post.slug === slug)
  const shared = ({ tags }: Post) => tags.filter((tag) => read?.tags.includes(tag)).length
  return posts
    .filter((post) => post !== read)
    .sort((a, b) => shared(b) - shared(a))
    .slice(0, count)
}
