import { act, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { hydrateRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { createElement } from 'react'
import { expect, test, vi } from 'vitest'
import { site } from '@/config/site'
import { violations } from '@/testing/axe'
import { ArticleView } from './article'
import { articleMetadata } from './article-route'
import { LocalDate } from './local-date'
import { ShareButton } from './share-button'

const SLUG = 'how-much-cost-build-ios-app-2025'

const show = async () => render(await ArticleView({ slug: SLUG }))

/** What the page tells search engines, by type. */
function things(container: Element) {
  const json = container.querySelector('script[type="application/ld+json"]')!.textContent
  const { '@graph': graph } = JSON.parse(json!) as { '@graph': Record<string, unknown>[] }
  return Object.fromEntries(graph.map((thing) => [thing['@type'], thing])) as Record<
    string,
    Record<string, unknown>
  >
}

test('an article has its parts, two ways on, and no accessibility finding', async () => {
  const { container } = await show()
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('How much does it cost')
  expect(screen.getByRole('link', { name: 'Back to Blog' })).toHaveAttribute('href', '/blog')
  expect(screen.getByRole('link', { name: 'Join the waitlist' })).toHaveAttribute('href', '/#join')
  const next = screen.getByRole('navigation', { name: 'Read next' })
  const links = within(next).getAllByRole('link')
  expect(links).toHaveLength(2)
  for (const link of links) {
    expect(link.getAttribute('href')).toMatch(/^\/blog\/./)
    expect(link).not.toHaveAttribute('href', `/blog/${SLUG}`)
  }
  expect(await violations(container)).toEqual([])
})

test('search engines learn what the article is', async () => {
  const { container } = await show()
  const { BlogPosting, FAQPage, BreadcrumbList } = things(container)
  const url = `${site.origin}/blog/${SLUG}`
  expect(BlogPosting).toMatchObject({
    url,
    mainEntityOfPage: url,
    headline: 'How much does it cost to build an iOS app in 2025?',
    image: `${site.origin}/og/${SLUG}.png`,
    datePublished: '2025-09-03',
    dateModified: '2025-09-03',
    author: { '@type': 'Organization', name: `${site.name} Team` },
    publisher: { '@type': 'Organization', name: site.name },
  })
  expect(FAQPage?.mainEntity).toHaveLength(4)
  expect(FAQPage?.mainEntity).toContainEqual({
    '@type': 'Question',
    name: `How much does ${site.name} cost?`,
    acceptedAnswer: {
      '@type': 'Answer',
      text: expect.stringMatching(/^There will be a free tier/),
    },
  })
  expect(BreadcrumbList?.itemListElement).toMatchObject([
    { position: 1, name: 'Home', item: `${site.origin}/` },
    { position: 2, name: 'Blog', item: `${site.origin}/blog` },
    { position: 3, item: url },
  ])
})

test('it is shared as an article', async () => {
  const metadata = await articleMetadata({ params: Promise.resolve({ slug: SLUG }) })
  expect(metadata).toMatchObject({
    authors: [{ name: `${site.name} Team` }],
    alternates: { canonical: `/blog/${SLUG}` },
    openGraph: {
      type: 'article',
      url: `/blog/${SLUG}`,
      authors: [`${site.name} Team`],
      publishedTime: '2025-09-03',
      modifiedTime: '2025-09-03',
      images: [{ url: `/og/${SLUG}.png` }],
    },
  })
})

test('the date is written by the visitor’s rules once there is a script, without a mismatch', async () => {
  vi.stubGlobal('navigator', { ...navigator, language: 'de-DE' })
  const element = createElement(LocalDate, { date: '2025-09-03' })
  document.body.innerHTML = `<p>${renderToString(element)}</p>`
  const time = screen.getByText('September 3, 2025')
  const onRecoverableError = vi.fn()
  await act(async () => hydrateRoot(document.querySelector('p')!, element, { onRecoverableError }))
  expect(time).toHaveTextContent('3. September 2025')
  expect(time).toHaveAttribute('datetime', '2025-09-03')
  expect(onRecoverableError).not.toHaveBeenCalled()
})

test('the share button waits for its script, then shares this page', async () => {
  const share = vi.fn().mockResolvedValue(undefined)
  vi.stubGlobal('navigator', { ...navigator, share })
  const element = createElement(ShareButton, { title: 'T', excerpt: 'E' })
  document.body.innerHTML = `<p>${renderToString(element)}</p>`
  expect(screen.queryByRole('button')).not.toBeInTheDocument()
  await act(async () => void hydrateRoot(document.querySelector('p')!, element))
  await userEvent.click(screen.getByRole('button', { name: 'Share' }))
  expect(share).toHaveBeenCalledExactlyOnceWith({
    title: 'T',
    text: 'E',
    url: window.location.href,
  })
})
