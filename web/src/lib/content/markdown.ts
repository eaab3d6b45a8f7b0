import 'server-only'
import type { Element, ElementContent, Root } from 'hast'
import { toString } from 'hast-util-to-string'
import type { Root as MarkdownRoot } from 'mdast'
import rehypeRaw from 'rehype-raw'
import rehypeSanitize, { defaultSchema, type Options as Schema } from 'rehype-sanitize'
import rehypeSlug from 'rehype-slug'
import rehypeStringify from 'rehype-stringify'
import remarkDirective from 'remark-directive'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import remarkRehype from 'remark-rehype'
import { unified } from 'unified'
import { visit } from 'unist-util-visit'
import { highlightLines, languages, type Language } from '../highlight/swift'

export interface Heading {
  id: string
  text: string
}

export interface Rendered {
  /** Sanitised HTML. */
  html: string
  /** The second-level headings in order, for a table of contents. */
  headings: Heading[]
}

/** So many paragraphs, lists and headings at least fill a first screen. */
const FIRST_SCREEN = 10

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

/** `:::note[Title]` becomes a callout, `:::cta[Title]` a call to action. */
function callouts() {
  return (tree: MarkdownRoot) => {
    visit(tree, 'containerDirective', (node) => {
      node.data = {
        hName: 'aside',
        hProperties: { className: [node.name === 'cta' ? 'cta' : 'callout'] },
      }
      const [first] = node.children
      if (first?.type === 'paragraph' && first.data && 'directiveLabel' in first.data) {
        first.data.hProperties = { className: ['callout-title'] }
      }
    })
  }
}

function collectHeadings(headings: Heading[]) {
  return () => (tree: Root) => {
    visit(tree, 'element', (node) => {
      if (node.tagName !== 'h2') return
      headings.push({ id: String(node.properties.id), text: toString(node) })
    })
  }
}

/**
 * Wide tables scroll in a frame of their own, which the keyboard can reach. It is named after the
 * heading above it; further tables under the same heading get a number.
 */
function tableFrames() {
  return (tree: Root) => {
    let heading = 'Table'
    let count = 0
    visit(tree, 'element', (node, index, parent) => {
      if (/^h[1-6]$/.test(node.tagName)) {
        heading = toString(node)
        count = 0
      }
      if (node.tagName !== 'table' || !parent || index === undefined) return
      count += 1
      parent.children[index] = {
        type: 'element',
        tagName: 'div',
        properties: {
          className: ['table'],
          tabIndex: 0,
          role: 'region',
          ariaLabel: count === 1 ? heading : `${heading} (${count})`,
        },
        children: [node],
      }
      return 'skip'
    })
  }
}

function codeColors() {
  return async (tree: Root) => {
    const blocks: { code: Element; lang: Language }[] = []
    visit(tree, 'element', (node) => {
      const [code] = node.tagName === 'pre' ? node.children : []
      if (code?.type !== 'element') return
      const name = String((code.properties.className as string[] | undefined)?.[0]).slice(9)
      const lang = languages.find((known) => known === name)
      node.properties.tabIndex = 0
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

/** What a first screen surely does not show may be laid out later (src/first-paint/below.ts). */
function markBelow() {
  return (tree: Root) => {
    const elements = tree.children.filter((node) => node.type === 'element')
    for (const { properties } of elements.slice(FIRST_SCREEN)) properties.dataBelow = ''
  }
}

/** Renders Markdown (GitHub flavour, callouts, HTML) to sanitised HTML. */
export async function renderMarkdown(markdown: string): Promise<Rendered> {
  const headings: Heading[] = []
  const file = await unified()
    .use(remarkParse)
    .use(remarkGfm)
    .use(remarkDirective)
    .use(callouts)
    .use(remarkRehype, { allowDangerousHtml: true })
    .use(rehypeRaw)
    .use(rehypeSanitize, schema)
    .use(rehypeSlug)
    .use(collectHeadings(headings))
    .use(tableFrames)
    .use(codeColors)
    .use(markBelow)
    .use(rehypeStringify, { allowDangerousHtml: true })
    .process(markdown)
  return { html: String(file), headings }
}
