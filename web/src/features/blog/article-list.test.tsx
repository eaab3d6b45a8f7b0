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
  article('figma', { title: 'From Figma', excerpt: 'Frames', featured: true, tags: ['Design'] }),
  article('icons', { title: 'On icons', excerpt: '1024 pixels', tags: ['Design'] }),
]

const titlesIn = (region: string) =>
  within(screen.getByRole('region', { name: region }))
    .getAllByRole('heading', { level: 3 })
    .map((title) => title.textContent)
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

test('filters the other articles by tag', async () => {
  render(<ArticleList articles={articles} />)
  await userEvent.click(screen.getByRole('button', { name: 'Design' }))
  expect(titlesIn('Design Articles')).toEqual(['On icons'])
  expect(screen.getByRole('button', { name: 'Design', pressed: true })).toBeInTheDocument()
})

test('all featured articles stay, those that are found first', async () => {
  render(<ArticleList articles={articles} />)
  expect(titlesIn('Featured Articles')).toEqual(['What it Costs', 'From Figma'])
  await userEvent.type(search(), 'frames')
  expect(titlesIn('Featured Articles')).toEqual(['From Figma', 'What it Costs'])
  expect(screen.getByRole('heading', { name: 'From Figma' }).closest('ul')).not.toContainElement(
    screen.getByRole('heading', { name: 'What it Costs' }),
  )
  expect(screen.queryByRole('region', { name: 'All Articles' })).not.toBeInTheDocument()
  expect(screen.getByRole('status')).toBeEmptyDOMElement()
})

test.each([
  ['ON ICONS', ['On icons']],
  ['web view', ['Why native']],
])('searches title and excerpt for %j', async (text, expected) => {
  render(<ArticleList articles={articles} />)
  await userEvent.type(search(), text)
  expect(titlesIn('All Articles')).toEqual(expected)
})

test('does not search the author', async () => {
  render(<ArticleList articles={articles} />)
  await userEvent.type(search(), 'fledge team')
  expect(screen.queryByRole('region', { name: 'All Articles' })).not.toBeInTheDocument()
})

test('says when nothing is left', async () => {
  render(<ArticleList articles={articles} />)
  await userEvent.click(screen.getByRole('button', { name: 'Design' }))
  await userEvent.type(search(), 'native')
  expect(screen.getByRole('status')).toHaveTextContent('No articles found matching your criteria.')
})
