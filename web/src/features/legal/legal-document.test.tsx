import { act, render, screen, within } from '@testing-library/react'
import { hydrateRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { createElement } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { violations } from '@/testing/axe'
import { LegalDocument } from './legal-document'
import { Today } from './today'

afterEach(() => void vi.useRealTimers())

test.each([
  ['terms', 'Terms and Conditions', 13],
  ['privacy', 'Privacy Policy', 9],
] as const)(
  '%s: title, contents, and no accessibility finding',
  async (document, title, sections) => {
    const { container } = render(await LegalDocument({ document, title }))
    expect(screen.getByRole('heading', { level: 1, name: title })).toBeInTheDocument()
    const contents = screen.getByRole('navigation', { name: 'On this page' })
    expect(within(contents).getAllByRole('link')).toHaveLength(sections)
    expect(await violations(container)).toEqual([])
  },
)

test('the date is the day of the build, and today where the visitor is once there is a script', async () => {
  vi.useFakeTimers({ now: new Date(2026, 1, 3, 23, 30), toFake: ['Date'] })
  const element = createElement(Today, { built: '2026-01-31' })
  document.body.innerHTML = `<p>${renderToString(element)}</p>`
  const time = screen.getByText('January 31, 2026')
  const onRecoverableError = vi.fn()
  await act(async () => hydrateRoot(document.querySelector('p')!, element, { onRecoverableError }))
  expect(time).toHaveTextContent('February 3, 2026')
  expect(time).toHaveAttribute('datetime', '2026-02-03')
  expect(onRecoverableError).not.toHaveBeenCalled()
})
