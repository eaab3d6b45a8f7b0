import { render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import type { ArticleSummary } from '@/lib/content/articles'
import { violations } from '@/testing/axe'
import { ArticleList } from './article-list'

const article = (slug: string, more: Partial<ArticleSummary>): ArticleSummary => ({
  slug,
  title: slug,
  excerpt: '',
  author: 'Fledge Team',
  date: '2025-09-03',
  readTime: '6 min read',
  tags: ['Swift'],
  featured: false,
  ...more,
})

const articles = [
  article('costs', {
    title: 'What it Costs',
    featured: true,
    tags: ['Costs', 'Swift', 'Planning'],
  }),
  article('native', {
    title: 'Why native',
    excerpt: 'No web views.',
    tags: ['Swift', 'UI', 'Opinion'],
  }),
  article('icons', { title: 'On icons', excerpt: '1024 pixels', tags: ['Design'] }),
]

const titles = () =>
  screen.queryAllByRole('heading', { level: 3 }).map((title) => title.textContent)
const search = () => screen.getByRole('searchbox', { name: 'Search articles' })

test('lists featured articles and then the others', async () => {
  const { container } = render(<ArticleList articles={articles} />)
  const featured = screen.getByRole('region', { name: 'Featured Articles' })
  expect(within(featured).getByRole('link', { name: 'What it Costs' })).toHaveAttribute(
    'href',
    '/blog/costs',
  )
  const others = screen.getByRole('region', { name: 'All Articles' })
  const [native] = within(others).getAllByRole('listitem')
  expect(native).toHaveTextContent('September 3, 2025')
  expect(native).toHaveTextContent('6 min read')
  expect(native).toHaveTextContent('By Fledge Team')
  expect(native).toHaveTextContent('UI')
  expect(native).not.toHaveTextContent('Opinion')
  expect(await violations(container)).toEqual([])
})

test('has a chip for every distinct tag', () => {
  render(<ArticleList articles={articles} />)
  const chips = within(screen.getByRole('group', { name: 'Filter by tag' })).getAllByRole('button')
  expect(chips.map((chip) => chip.textContent)).toEqual([
    'All Posts',
    'Costs',
    'Swift',
    'Planning',
    'UI',
    'Opinion',
    'Design',
  ])
})

test('filters by tag', async () => {
  render(<ArticleList articles={articles} />)
  await userEvent.click(screen.getByRole('button', { name: 'Design' }))
  expect(screen.getByRole('heading', { name: 'Design Articles' })).toBeInTheDocument()
  expect(titles()).toEqual(['On icons'])
  expect(screen.getByRole('button', { name: 'Design', pressed: true })).toBeInTheDocument()
})

test.each([
  ['WHAT IT', ['What it Costs']],
  ['web view', ['Why native']],
  ['fledge team', []],
])('searches title and excerpt for %j', async (text, expected) => {
  render(<ArticleList articles={articles} />)
  await userEvent.type(search(), text)
  expect(titles()).toEqual(expected)
})

test('says when nothing is left', async () => {
  render(<ArticleList articles={articles} />)
  await userEvent.click(screen.getByRole('button', { name: 'Design' }))
  await userEvent.type(search(), 'native')
  expect(screen.getByRole('status')).toHaveTextContent('No articles found matching your criteria.')
})
