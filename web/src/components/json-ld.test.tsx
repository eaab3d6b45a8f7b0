import { render } from '@testing-library/react'
import type { Thing } from 'schema-dts'
import { expect, test } from 'vitest'
import { site } from '@/config/site'
import { organization, website } from '@/lib/structured-data'
import { JsonLd } from './json-ld'

const scriptOf = (things: Thing[]) =>
  render(<JsonLd things={things} />).container.querySelector('script')!

test('things are written as one graph, and no text of theirs ends the element', () => {
  const script = scriptOf([{ '@type': 'Thing', name: '</script><b>&' }])
  expect(script).toHaveAttribute('type', 'application/ld+json')
  expect(script.innerHTML).not.toContain('<')
  expect(JSON.parse(script.textContent!)).toEqual({
    '@context': 'https://schema.org',
    '@graph': [{ '@type': 'Thing', name: '</script><b>&' }],
  })
})

test('the landing page tells whose site it is', () => {
  const { '@graph': graph } = JSON.parse(scriptOf([organization(), website()]).textContent!)
  expect(graph).toMatchObject([
    {
      '@type': 'Organization',
      '@id': `${site.origin}/#organization`,
      name: site.name,
      url: `${site.origin}/`,
      email: site.emails.support,
    },
    { '@type': 'WebSite', name: site.name, publisher: { '@id': `${site.origin}/#organization` } },
  ])
})
