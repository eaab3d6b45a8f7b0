import { expect, test } from 'vitest'
import { site } from '@/config/site'
import { listArticles } from '@/lib/content/articles'
import { GET } from './route'

test('the links of every article lead to the site', async () => {
  const xml = await (await GET()).text()
  const feed = new DOMParser().parseFromString(xml, 'application/xml')
  expect(feed.querySelector('parsererror')).toBeNull()
  const bodies = [...feed.getElementsByTagName('content:encoded')]
  expect(bodies).toHaveLength((await listArticles()).length)
  for (const { textContent } of bodies) {
    const body = document.createElement('div')
    body.innerHTML = textContent!
    const links = [...body.querySelectorAll('a')].map((link) => link.getAttribute('href'))
    expect(links).toContain(`${site.origin}/#join`)
    expect(links.filter((href) => !/^(https?|mailto):/.test(href!))).toEqual([])
  }
})
