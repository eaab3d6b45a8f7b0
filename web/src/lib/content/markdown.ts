import 'server-only'
import type { Element, ElementContent, Root } from 'hast'
import { toString } from 'hast-util-to-string'
import rehypeRaw from 'rehype-raw'
import rehypeSanitize, { defaultSchema, type Options as Schema } from 'rehype-sanitize'
import rehypeSlug from 'rehype-slug'
import rehypeStringify from 'rehype-stringify'
import remarkDirective from 'remark-directive'
import remarkFrontmatter from 'remark-frontmatter'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import remarkRehype from 'remark-rehype'
import { unified } from 'unified'
import { visit } from 'unist-util-visit'
import type { VFile } from 'vfile'
import { site } from '@/config/site'
import { highlightLines, languages, type Language } from '../highlight/swift'
import { remarkCallouts } from './directives'
import { rehypeFillIn } from './fill-in'
import { headingsOf, questionsOf, type Heading, type Question } from './outline'
import { rehypeTables } from './tables'

export interface Rendered {
  /** Sanitised HTML. */
  html: string
  headings: Heading[]
  questions: Question[]
}

/** GitHub's allow-list without task lists, plus callouts. Ids are our own headings', without prefix. */
const schema: Schema = {
  ...defaultSchema,
  clobberPrefix: '',
  tagNames: [...(defaultSchema.tagNames ?? []).filter((name) => name !== 'input'), 'aside'],
  attributes: {
    ...defaultSchema.attributes,
    aside: [['className', 'callout', 'cta']],
    p: [['className', 'callout-title']],
  },
}

function rehypeCodeColors() {
  return async (tree: Root) => {
    const blocks: { code: Element; lang: Language }[] = []
    visit(tree, 'element', (node) => {
      const [code] = node.tagName === 'pre' ? node.children : []
      if (code?.type !== 'element') return
      const name = String((code.properties.className as string[] | undefined)?.[0]).slice(9)
      const lang = languages.find((known) => known === name)
      node.properties.tabIndex = 0
      node.properties.translate = 'no'
      if (lang) blocks.push({ code, lang })
    })
    for (const { code, lang } of blocks) {
      const lines = await highlightLines(toString(code).trimEnd(), lang)
      code.properties = { className: ['code'] }
      // The highlighter escapes what it did not make, so its markup enters after the sanitiser.
      code.children = [{ type: 'raw', value: lines.join('\n') } as unknown as ElementContent]
    }
  }
}

/** Makes the links and pictures of the page at `path` work on any other page. */
function rehypeAbsolute(path: string) {
  return () => (tree: Root) => {
    visit(tree, 'element', ({ properties }) => {
      for (const name of ['href', 'src']) {
        const value = String(properties[name] ?? '')
        if (value.startsWith('#')) properties[name] = site.origin + path + value
        else if (/^\/(?!\/)/.test(value)) properties[name] = site.origin + value
      }
    })
  }
}

const parser = unified()
  .use(remarkParse)
  .use(remarkFrontmatter)
  .use(remarkGfm)
  .use(remarkDirective)
  .use(remarkCallouts)
  .use(remarkRehype, { allowDangerousHtml: true })
  .use(rehypeRaw)
  .use(rehypeSanitize, schema)
  // Before the names are put in: a link to a heading outlives another name of the product.
  .use(rehypeSlug)
  .use(rehypeFillIn)
  .freeze()

/** From Markdown (GitHub flavour, callouts, HTML) to a sanitised tree with the site's names in it. */
async function toTree(file: VFile): Promise<Root> {
  try {
    return await parser.run(parser.parse(file), file)
  } catch (error) {
    // The message of a VFileMessage alone names neither file nor line.
    throw new Error(String(error), { cause: error })
  }
}

/** Renders a Markdown file for a page; throws with the file and line of what it does not know. */
export async function renderMarkdown(file: VFile): Promise<Rendered> {
  const tree = await toTree(file)
  const headings = headingsOf(tree)
  const questions = questionsOf(tree)
  const page = unified()
    .use(rehypeTables)
    .use(rehypeCodeColors)
    .use(rehypeStringify, { allowDangerousHtml: true })
  return { html: page.stringify((await page.run(tree)) as Root), headings, questions }
}

/** Renders the Markdown file of the page at `path` for readers of feeds. */
export async function renderForFeed(file: VFile, path: string): Promise<string> {
  const feed = unified().use(rehypeAbsolute(path)).use(rehypeStringify)
  return feed.stringify((await feed.run(await toTree(file))) as Root)
}
