import { act, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { hydrateRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { beforeEach, describe, expect, test, vi } from 'vitest'
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

const at = (query: string) => window.history.replaceState(null, '', `/blog${query}`)
beforeEach(() => at(''))

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
const headings = () =>
  screen.getAllByRole('heading', { level: 2 }).map((heading) => heading.textContent)
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

test('featured articles that do not match stay, last and under a heading of their own', async () => {
  const { container } = render(<ArticleList articles={articles} />)
  expect(titlesIn('Featured Articles')).toEqual(['What it Costs', 'From Figma'])
  expect(headings()).toEqual(['Featured Articles', 'All Articles'])
  await userEvent.click(screen.getByRole('button', { name: 'Design' }))
  expect(headings()).toEqual(['Featured Articles', 'Design Articles', 'More featured articles'])
  expect(titlesIn('Featured Articles')).toEqual(['From Figma'])
  expect(titlesIn('More featured articles')).toEqual(['What it Costs'])
  expect(screen.getByRole('status')).toBeEmptyDOMElement()
  expect(await violations(container)).toEqual([])
})

test('without a featured match, what is found comes first', async () => {
  render(<ArticleList articles={articles} />)
  await userEvent.type(search(), 'native')
  expect(headings()).toEqual(['All Articles', 'More featured articles'])
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

test('says when nothing is left, and what it shows instead', async () => {
  const { container } = render(<ArticleList articles={articles} />)
  await userEvent.click(screen.getByRole('button', { name: 'Design' }))
  await userEvent.type(search(), 'native')
  expect(screen.getByRole('status')).toHaveTextContent('No articles found matching your criteria.')
  expect(headings()).toEqual(['More featured articles'])
  expect(await violations(container)).toEqual([])
})

describe('the address', () => {
  const settled = (query: string) => waitFor(() => expect(window.location.search).toBe(query))

  test('has the filter, without a flood of changes, and keeps what else is in it', async () => {
    at('?utm_source=x#list')
    render(<ArticleList articles={articles} />)
    const change = vi.spyOn(window.history, 'replaceState')
    await userEvent.click(screen.getByRole('button', { name: 'Design' }))
    await settled('?utm_source=x&tag=Design')
    await userEvent.type(search(), 'a & b ')
    await settled('?utm_source=x&tag=Design&q=a+%26+b')
    expect(change).toHaveBeenCalledTimes(2)
    expect(window.location.hash).toBe('#list')
    await userEvent.clear(search())
    await userEvent.click(screen.getByRole('button', { name: 'All Posts' }))
    await settled('?utm_source=x')
  })

  test('is read when the page is loaded', async () => {
    at('?tag=Design&q=icons')
    render(<ArticleList articles={articles} />)
    expect(await screen.findByRole('button', { name: 'Design', pressed: true })).toBeVisible()
    expect(search()).toHaveValue('icons')
    expect(titlesIn('Design Articles')).toEqual(['On icons'])
    expect(window.location.search).toBe('?tag=Design&q=icons')
  })

  test('is read again on the way back', async () => {
    render(<ArticleList articles={articles} />)
    at('?q=costs')
    act(() => void window.dispatchEvent(new PopStateEvent('popstate')))
    expect(search()).toHaveValue('costs')
    expect(titlesIn('Featured Articles')).toEqual(['What it Costs'])
  })

  test('may name a tag that no article has, or has no longer', async () => {
    at('?tag=<b>Nothing')
    render(<ArticleList articles={articles} />)
    expect(headings()).toEqual(['Featured Articles', 'All Articles'])
    expect(screen.getByRole('button', { name: 'All Posts', pressed: true })).toBeInTheDocument()
    await settled('')
  })

  test('counts less than what was typed before the script came', async () => {
    at('?tag=Design&q=icons')
    document.body.innerHTML = `<main>${renderToString(<ArticleList articles={articles} />)}</main>`
    const box = search()
    box.focus()
    ;(box as HTMLInputElement).value = 'figma'
    const root = document.querySelector('main')!
    await act(async () => void hydrateRoot(root, <ArticleList articles={articles} />))
    expect(search()).toHaveValue('figma')
    expect(titlesIn('Featured Articles')).toEqual(['From Figma'])
    await settled('?tag=Design&q=figma')
  })
})
