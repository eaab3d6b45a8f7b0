import type { Root } from 'hast'
import { CONTINUE, SKIP, visit } from 'unist-util-visit'
import type { VFile } from 'vfile'
import { site } from '@/config/site'

/** What a text in content/ may mention as `{name}`. */
const values: Record<string, string> = {
  name: site.name,
  supportEmail: site.emails.support,
  privacyEmail: site.emails.privacy,
  minimumMacOS: site.minimumMacOS,
}

/** A name in a text, and in an address, where Markdown has encoded its braces. */
export const names = /\{(\w+)\}|%7B(\w+)%7D/

/** Puts the site's names into `text`; throws on a name that it does not know. */
export function fillInText(text: string): string {
  return text.replace(new RegExp(names, 'g'), (_, inText: string | undefined, inAddress: string) => {
    const name = inText ?? inAddress
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    if (value === undefined) throw new Error(`unknown name {${name}}`)
    return value
  })
}

/**
 * Puts the site's names into texts and links, and leaves code alone. What it puts in is never read as
 * Markdown. An unknown name stops the build.
 */
export function rehypeFillIn() {
  return (tree: Root, file: VFile) => {
    visit(tree, (node) => {
      try {
        if (node.type === 'text') node.value = fillInText(node.value)
        if (node.type !== 'element') return CONTINUE
        if (node.tagName === 'code') return SKIP
        const { href } = node.properties
        if (typeof href === 'string') node.properties.href = fillInText(href)
      } catch (error) {
        file.fail((error as Error).message, node)
      }
      return CONTINUE
    })
  }
}
