import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { renderToString } from 'react-dom/server'
import { afterEach, expect, test, vi } from 'vitest'
import { island } from '@/components/island'
import { Header } from '@/features/landing/header'
import { hydrate } from './hydrate'

const HeaderIsland = island('header', Header)
afterEach(() => void (document.body.innerHTML = ''))

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
