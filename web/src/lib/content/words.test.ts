// @vitest-environment node
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { toString } from 'hast-util-to-string'
import rehypeRaw from 'rehype-raw'
import type { Root } from 'hast'
import { unified } from 'unified'
import { describe, expect, test } from 'vitest'
import { site } from '@/config/site'
import { readArticle, readForFeed } from './articles'
import { readLegal } from './legal'
import { renderMarkdown } from './markdown'
import { toSource } from './source'

/** Letters and digits alone: what stands between them is for the page to choose. */
const letters = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '')

const names = {
  name: site.name,
  minimumMacOS: site.minimumMacOS,
  supportEmail: site.emails.support,
  privacyEmail: site.emails.privacy,
}

/** Markdown outside blocks of code, without what no reader sees, by other rules than the renderer's. */
function prose(markdown: string): string {
  const text = markdown
    .replace(/^:::\w+/gm, '')
    .replace(/^ *\d+\. /gm, '')
    .replace(/\]\([^)]*\)/g, ']')
  return Object.entries(names).reduce((all, [name, value]) => all.replaceAll(`{${name}}`, value), text)
}

/** The letters of a source that have to be on the page. */
function written(source: string): string {
  const body = source.replace(/^---\n[^]*?\n---\n/, '')
  // Every second part between fences is code.
  return letters(body.split(/^```.*$/m).map((part, index) => (index % 2 ? part : prose(part))).join())
}

/** The letters that the browser shows of `html`. */
function shown(html: string): string {
  const raw = { type: 'raw', value: html } as unknown as Root['children'][number]
  return letters(toString(unified().use(rehypeRaw).runSync({ type: 'root', children: [raw] })))
}

/** Both texts from where they begin to differ. */
function difference(source: string, html: string): [string, string] {
  const [one, other] = [written(source), shown(html)]
  let at = 0
  while (at < one.length && one[at] === other[at]) at++
  return [one.slice(at, at + 40), other.slice(at, at + 40)]
}

const directory = path.join(process.cwd(), 'content')
const files = await readdir(directory, { recursive: true })

// The highlighter takes its time over the first of them.
describe('every word of the source', { timeout: 60_000 }, () => {
  test.each(files.filter((name) => name.endsWith('.md')))('%s', async (name) => {
    const source = await readFile(path.join(directory, name), 'utf8')
    const [folder, document = ''] = name.replace('.md', '').split('/')
    if (folder === 'legal') {
      expect(difference(source, (await readLegal(document as 'terms')).html)).toEqual(['', ''])
      return
    }
    expect(difference(source, (await readArticle(document)).html), 'on the page').toEqual(['', ''])
    expect(difference(source, await readForFeed(document)), 'in the feed').toEqual(['', ''])
  })
})

test.each([
  'Once a day at 8:00, if something is due.',
  'A map a:b, a ratio of 3:2[sic], and :smile: too.',
  'Call `Set<Int>` at 10:30{x=1} sharp.',
  '::video[A film]{id=7}\n\nAfter it.',
])('keeps every word of %j', async (markdown) => {
  const { html } = await renderMarkdown(toSource('blog/x.md', markdown))
  expect(difference(markdown, html)).toEqual(['', ''])
  expect(html).not.toContain('<div>')
})
