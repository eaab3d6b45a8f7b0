// @vitest-environment node
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkLinks } from './links.mjs'

let folder
beforeEach(async () => void (folder = await mkdtemp(path.join(tmpdir(), 'links-'))))
afterEach(() => rm(folder, { recursive: true }))

/** Writes `bodies` as pages by their routes. */
async function pages(bodies) {
  return Promise.all(
    Object.entries(bodies).map(async ([route, body], index) => {
      const file = path.join(folder, `${index}.html`)
      await writeFile(file, body)
      return { file, route }
    }),
  )
}

test('pages, places in pages, the API and other sites may be led to', async () => {
  const body =
    '<main id="main"></main><a href="/blog#b">1</a><a href="#main">2</a><a href="https://x.test/y">3</a>' +
    '<a href="mailto:a@b.test">4</a><form action="/api/add-waitlist-user"></form>'
  await checkLinks(await pages({ '/': body, '/blog': '<p id="b"></p>' }))
})

test('a page that does not exist stops the build', async () => {
  const given = await pages({ '/': '<a href="/blgo">Blog</a>' })
  await expect(checkLinks(given)).rejects.toThrow('/ leads to /blgo, which is nothing')
})

test('a place that does not exist stops the build', async () => {
  const given = await pages({ '/': '<a href="/blog#c">Blog</a>', '/blog': '<p id="b"></p>' })
  await expect(checkLinks(given)).rejects.toThrow('/ leads to /blog#c, which has no such place')
})

test('a script that does not exist stops the build', async () => {
  const given = await pages({ '/': '<script src="/_next/static/chunks/none.js"></script>' })
  await expect(checkLinks(given)).rejects.toThrow('which is nothing')
})

const own = 'https://origin.site.invalid'

test.each([
  `<meta property="og:image" content="${own}/none.png">`,
  `<link rel="canonical" href="${own}/none.png">`,
  '<style>@font-face { src: url("/none.png") }</style>',
  '<style>a { background: url(/none.png) }</style>',
])(
  'an absolute address of the site, or one in a style, that is nothing stops the build: %s',
  async (head) => {
    const given = await pages({ '/': head })
    await expect(checkLinks(given)).rejects.toThrow('/ leads to /none.png, which is nothing')
  },
)

test('absolute addresses of the site and other content may lead to pages', async () => {
  const head =
    `<link rel="canonical" href="${own}/blog"><meta property="og:url" content="${own}">` +
    '<meta name="description" content="/none"><style>a { background: url(data:image/png;base64,A) }</style>'
  await checkLinks(await pages({ '/': head, '/blog': '' }))
})
