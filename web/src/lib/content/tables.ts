import type { Element, Root } from 'hast'
import { toString } from 'hast-util-to-string'
import { visit } from 'unist-util-visit'

/** Roles that a table keeps when a style sheet lays it out as something else. */
const roles: Record<string, string> = {
  table: 'table',
  thead: 'rowgroup',
  tbody: 'rowgroup',
  tr: 'row',
  th: 'columnheader',
  td: 'cell',
}

/** Prepares tables for narrow screens, where prose.module.css stacks their cells: each names its column. */
export function rehypeTables() {
  return (tree: Root) => {
    visit(tree, 'element', (table) => {
      if (table.tagName !== 'table') return
      const columns: string[] = []
      visit(table, 'element', (node, _, parent) => {
        const role = roles[node.tagName]
        if (!role) return
        node.properties.role = role
        if (node.tagName === 'th') columns.push(toString(node))
        if (node.tagName !== 'td') return
        const cells = (parent as Element).children.filter((cell) => cell.type === 'element')
        node.properties.dataColumn = columns[cells.indexOf(node)]
      })
    })
  }
}
