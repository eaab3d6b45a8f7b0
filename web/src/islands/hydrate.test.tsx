import { act, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type * as ReactDOM from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { island } from '@/components/island'
import { WaitlistIsland } from '@/components/waitlist-form/waitlist-island'
import { ArticleList } from '@/features/blog/article-list'
import { Header } from '@/features/landing/header'
import { keepClicks } from '@/inline/keep-clicks'
import { onPost } from '@/testing/server'
import { hydrate } from './hydrate'

const HeaderIsland = island('header', Header)
const ListIsland = island('article-list', ArticleList)
beforeAll(keepClicks)
const roots: ReactDOM.Root[] = vi.hoisted(() => [])
vi.mock('react-dom/client', async (original) => {
  const client = await original<typeof ReactDOM>()
  const hydrateRoot: typeof ReactDOM.hydrateRoot = (...args) => {
    const root = client.hydrateRoot(...args)
    roots.push(root)
    return root
  }
  return { ...client, hydrateRoot }
})
afterEach(() => {
  // A part that lived on would act in the next test, or after the last one.
  act(() => roots.splice(0).forEach((root) => root.unmount()))
  document.body.innerHTML = ''
})

test('the markup of an island comes to life without a difference', async () => {
  const error = vi.spyOn(console, 'error')
  document.body.innerHTML = renderToString(<HeaderIsland />)
  hydrate(document.querySelector('fledge-island') as HTMLElement)
  const menu = screen.getByRole('button', { name: 'Menu' })
  await waitFor(async () => {
    await userEvent.click(menu)
    expect(menu).toHaveAttribute('aria-expanded', 'true')
  })
  expect(error).not.toHaveBeenCalled()
})

test.each([
  ['seen', '<p>Habits</p>', 'This part of the page could not be shown.'],
  ['not seen', '<span hidden></span>', ''],
])('an island that fails and is %s', async (_, markup, shown) => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  // The article list needs articles.
  document.body.innerHTML = `<fledge-island data-name="article-list">${markup}</fledge-island>`
  const island = document.querySelector('fledge-island') as HTMLElement
  hydrate(island)
  await waitFor(() => expect(island.querySelector('p')?.textContent ?? '').toBe(shown))
  await waitFor(() => expect(island.querySelector('span')).toBeNull())
})

test('an island that nobody knows is an error', () => {
  document.body.innerHTML = '<fledge-island data-name="hat"></fledge-island>'
  expect(() => hydrate(document.querySelector('fledge-island') as HTMLElement)).toThrow('hat')
})

const article = (title: string, tags: string[]) => ({
  slug: title.toLowerCase(),
  title,
  excerpt: '',
  date: '2026-01-01',
  readTime: '5 min read',
  author: 'Fledge',
  tags,
  featured: false,
})

test('what was clicked and typed before the script came is done, the last click once', async () => {
  const articles = [
    article('Prices', ['Costs']),
    article('Sums', ['Costs']),
    article('Sumi', ['Design']),
  ]
  document.body.innerHTML = renderToString(<ListIsland articles={articles} />)
  const error = vi.spyOn(console, 'error')
  const chip = (name: string) => screen.getByRole('button', { name })
  await userEvent.click(chip('Design'))
  await userEvent.click(chip('Costs'))
  await userEvent.type(screen.getByRole('searchbox'), 'sum')
  hydrate(document.querySelector('fledge-island') as HTMLElement)
  await waitFor(() => expect(chip('Costs')).toHaveAttribute('aria-pressed', 'true'))
  expect(chip('Design')).toHaveAttribute('aria-pressed', 'false')
  expect(screen.getByRole('searchbox')).toHaveValue('sum')
  expect(screen.getAllByRole('listitem')).toHaveLength(1)
  // The island answers by itself now.
  await userEvent.click(chip('All Posts'))
  expect(screen.getAllByRole('listitem')).toHaveLength(2)
  expect(document.querySelector('[data-clicked]')).toBeNull()
  expect(error).not.toHaveBeenCalled()
})

/** The waitlist form, into which a password manager has put an element before it is hydrated. */
function changedForm() {
  vi.spyOn(console, 'error').mockReturnValue()
  document.body.innerHTML = renderToString(<WaitlistIsland source="hero_section" />)
  const field = screen.getByRole('textbox')
  field.after(document.createElement('keeper-lock'))
  return field
}

test('a field that is rendered anew keeps its text and the focus', async () => {
  const field = changedForm()
  await userEvent.type(field, 'ann@')
  hydrate(document.querySelector('fledge-island') as HTMLElement)
  await waitFor(() => expect(field).not.toBeInTheDocument())
  await waitFor(() => expect(screen.getByRole('textbox')).toHaveFocus())
  expect(screen.getByRole('textbox')).toHaveValue('ann@')
})

test('what was submitted before the script came is sent by a form that is rendered anew', async () => {
  const sent: unknown[] = []
  onPost('/api/add-waitlist-user', ({ body }) => {
    sent.push(body)
    return { message: "You're on the waitlist!" }
  })
  const field = changedForm()
  await userEvent.type(field, 'ann@fledge.test')
  field.closest('form')!.dataset.submitted = '' // as keep-submits.ts does
  hydrate(document.querySelector('fledge-island') as HTMLElement)
  expect(await screen.findByText("You're on the waitlist!")).toBeVisible()
  expect(sent).toEqual([{ email: 'ann@fledge.test', source: 'hero_section' }])
})

test('a click while the script hydrates is done once', async () => {
  document.body.innerHTML = renderToString(<HeaderIsland />)
  const menu = screen.getByRole('button', { name: /menu/i })
  hydrate(document.querySelector('fledge-island') as HTMLElement)
  act(() => menu.click())
  await waitFor(() => expect(menu).toHaveAttribute('aria-expanded', 'true'))
})

test('a click that something else has followed is dropped', async () => {
  document.body.innerHTML = `${renderToString(<HeaderIsland />)}<p>Elsewhere</p>`
  const menu = screen.getByRole('button', { name: /menu/i })
  await userEvent.click(menu)
  await userEvent.click(screen.getByText('Elsewhere'))
  await act(async () => hydrate(document.querySelector('fledge-island') as HTMLElement))
  expect(menu).toHaveAttribute('aria-expanded', 'false')
})

test('a kept click does not reach what replaces an island that fails', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  document.body.innerHTML = renderToString(<ListIsland articles={[article('Sums', ['Costs'])]} />)
  const island = document.querySelector('fledge-island') as HTMLElement
  await userEvent.click(screen.getByRole('button', { name: 'All Posts' }))
  island.dataset.props = '{}'
  const clicks = vi.fn()
  document.addEventListener('click', clicks)
  hydrate(island)
  expect(await screen.findByRole('button', { name: 'Reload the page' })).toBeVisible()
  expect(clicks).not.toHaveBeenCalled()
  document.removeEventListener('click', clicks)
})
