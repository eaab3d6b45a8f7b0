import type { BlogPosting, BreadcrumbList, FAQPage, Organization, WebSite } from 'schema-dts'
import { paths } from '@/config/paths'
import { site } from '@/config/site'
import type { Article } from './content/articles'
import type { Question } from './content/outline'
import { shareImagePath } from './open-graph'

const absolute = (path: string) => site.origin + path

/** How other things of the site name its organisation. */
const ORGANIZATION = { '@id': absolute('/#organization') }

/** Who runs the site. */
export const organization = (): Organization => ({
  '@type': 'Organization',
  ...ORGANIZATION,
  name: site.name,
  description: site.description,
  url: absolute(paths.home),
  logo: absolute('/apple-touch-icon.png'),
  email: site.emails.support,
})

export const website = (): WebSite => ({
  '@type': 'WebSite',
  '@id': absolute('/#website'),
  name: site.name,
  url: absolute(paths.home),
  inLanguage: 'en',
  publisher: ORGANIZATION,
})

/** The way from the landing page down to a page, which is the last of `steps`. */
export const breadcrumbs = (steps: { name: string; path: string }[]): BreadcrumbList => ({
  '@type': 'BreadcrumbList',
  itemListElement: [{ name: 'Home', path: paths.home }, ...steps].map(({ name, path }, index) => ({
    '@type': 'ListItem',
    position: index + 1,
    name,
    item: absolute(path),
  })),
})

export const blogPosting = (article: Article): BlogPosting => ({
  '@type': 'BlogPosting',
  mainEntityOfPage: absolute(paths.article(article.slug)),
  url: absolute(paths.article(article.slug)),
  headline: article.title,
  description: article.excerpt,
  image: absolute(shareImagePath(article.slug)),
  datePublished: article.date,
  dateModified: article.updated ?? article.date,
  author: { '@type': 'Organization', name: article.author, url: absolute(paths.home) },
  publisher: organization(),
  keywords: article.tags,
  inLanguage: 'en',
})

export const faqPage = (questions: Question[]): FAQPage => ({
  '@type': 'FAQPage',
  mainEntity: questions.map(({ question, answer }) => ({
    '@type': 'Question',
    name: question,
    acceptedAnswer: { '@type': 'Answer', text: answer },
  })),
})
