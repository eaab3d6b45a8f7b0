import type { Element, Root } from 'hast'
import { toString } from 'hast-util-to-string'

export interface Heading {
  id: string
  text: string
}

export interface Question {
  question: string
  answer: string
}

const FAQ = 'Frequently asked questions'

const elementsOf = (tree: Root) => tree.children.filter((node) => node.type === 'element')

/** The second-level headings in order, for a table of contents. */
export function headingsOf(tree: Root): Heading[] {
  return elementsOf(tree)
    .filter(({ tagName }) => tagName === 'h2')
    .map((heading) => ({ id: String(heading.properties.id), text: toString(heading) }))
}

/** The questions (third-level headings) under 'Frequently asked questions', and their answers as plain text. */
export function questionsOf(tree: Root): Question[] {
  const elements = elementsOf(tree)
  const start = elements.findIndex((node) => node.tagName === 'h2' && toString(node) === FAQ)
  const found: { question: string; answer: Element[] }[] = []
  for (const node of start < 0 ? [] : elements.slice(start + 1)) {
    if (node.tagName === 'h2') break
    if (node.tagName === 'h3') found.push({ question: toString(node), answer: [] })
    else if (node.tagName !== 'aside') found.at(-1)?.answer.push(node)
  }
  return found.map(({ question, answer }) => ({
    question,
    answer: answer.map((node) => toString(node).trim()).join('\n'),
  }))
}
