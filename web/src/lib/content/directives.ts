import type { Root } from 'mdast'
import { visit } from 'unist-util-visit'
import type { VFile } from 'vfile'

/** The containers that a text may have, and the classes of what becomes of them. */
const containers: Record<string, string> = { note: 'callout', cta: 'cta' }

/**
 * `:::note[Title]` becomes a callout, `:::cta[Title]` a call to action; another name, or attributes, stop
 * the build. What only looks like a directive, such as the colon in 8:00, stays the text that it is.
 */
export function remarkCallouts() {
  return (tree: Root, file: VFile) => {
    visit(tree, (node, index, parent) => {
      if (node.type === 'textDirective' || node.type === 'leafDirective') {
        const { start, end } = node.position!
        const text = { type: 'text' as const, value: String(file).slice(start.offset, end.offset) }
        parent!.children[index!] =
          node.type === 'textDirective' ? text : { type: 'paragraph', children: [text] }
      }
      if (node.type !== 'containerDirective') return
      const className = Object.hasOwn(containers, node.name) ? containers[node.name] : undefined
      if (!className) file.fail(`unknown directive :::${node.name}`, node)
      if (Object.keys(node.attributes ?? {}).length > 0) {
        file.fail(`:::${node.name} takes no attributes`, node)
      }
      node.data = { hName: 'aside', hProperties: { className: [className] } }
      const [first] = node.children
      if (first?.type === 'paragraph' && first.data && 'directiveLabel' in first.data) {
        first.data.hProperties = { className: ['callout-title'] }
      }
    })
  }
}
