import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import postcss, { type Container, type Declaration, type Node, type Root } from 'postcss'
import { expect, test } from 'vitest'
import { styles } from '../../lint/browsers.mjs'

/** Whether an `@supports` around `node` asks for the same first. */
function asked(node: Node): boolean {
  for (let at = node.parent; at; at = at.parent as Container | undefined) {
    if (at.type === 'atrule' && 'name' in at && at.name === 'supports') return true
  }
  return false
}

/** Whether a browser that does not know the value keeps an earlier one of the same rule. */
function fallsBack(declaration: Declaration): boolean {
  const { prop, value } = declaration
  // The build keeps only the last of two values of `overflow`.
  if (prop.startsWith('--') || prop.startsWith('overflow') || value.includes('var(')) return false
  for (let before = declaration.prev(); before; before = before.prev()) {
    if (before.type === 'decl' && before.prop === prop) return true
  }
  return false
}

/** What Safari 15.6 does not know in `root` and gets nothing instead of. */
function unsupported(root: Root): string[] {
  const found: string[] = []
  const report = (node: Node, text: string, since: string) => {
    if (!asked(node)) found.push(`line ${node.source?.start?.line}: ${text} (Safari ${since})`)
  }
  root.walkDecls((declaration) => {
    const { prop, value } = declaration
    // The words of a font's name or a picture's address are no values.
    const bare = value.replace(/url\((?:"[^"]*"|[^)]*)\)|"[^"]*"|'[^']*'/g, '')
    const since =
      styles.values.find(({ shape }) => shape.test(bare))?.since ??
      styles.declarations.find((late) => late.property.test(prop) && late.value.test(bare))?.since
    if (since && !fallsBack(declaration)) report(declaration, `${prop}: ${value}`, since)
  })
  root.walkAtRules((rule) => {
    const since = styles.atRules.find(({ shape }) => shape.test(rule.name))?.since
    if (since) report(rule, `@${rule.name}`, since)
  })
  root.walkRules((rule) => {
    const since = styles.selectors.find(({ shape }) => shape.test(rule.selector))?.since
    if (since) report(rule, rule.selector, since)
  })
  return found
}

const found = (css: string) => unsupported(postcss.parse(css))

test.each([
  'a { color: color-mix(in srgb, red, blue) }',
  'a { background: red; background: color-mix(in srgb, var(--a), blue) }',
  ':root { --a: red; --a: color-mix(in srgb, red, blue) }',
  'a { grid-template-rows: subgrid }',
  'a { overflow: hidden; overflow: clip }',
  'a { container-type: inline-size }',
  '@container (width > 10rem) { a { color: red } }',
  '@property --a { syntax: "*"; inherits: false }',
  'a:popover-open { color: red }',
  'a { transition-timing-function: linear(0, 0.5, 1) }',
  'a { height: 2lh }',
])('finds what is new: %s', (css) => {
  expect(found(css)).toHaveLength(1)
})

test.each([
  'a { color: red; color: color-mix(in srgb, red, blue) }',
  '@supports (color: color-mix(in srgb, red, red)) { a { color: color-mix(in srgb, var(--a), blue) } }',
  '@supports (container-type: inline-size) { a { container-type: inline-size } @container (width > 1rem) { a { color: red } } }',
  'a { background: linear-gradient(0deg, red, blue); overflow: hidden; height: 100dvh; text-wrap: balance }',
  'a { background: url("a.svg?subgrid"); font-family: "clip subgrid" }',
  'a:has(b) { inset: 0; & b { color: red } }',
])('lets pass what is old, added or asked for: %s', (css) => {
  expect(found(css)).toEqual([])
})

const src = path.resolve(import.meta.dirname, '..')
const sheets = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.css'),
)

test.each(sheets)('%s looks right in Safari 15.6', (name) => {
  expect(found(readFileSync(path.join(src, name), 'utf8'))).toEqual([])
})

// Large text turns wide layouts into narrow ones: only what is measured in text knows of it.
test.each(sheets)('the widths that %s asks for grow with the text', (name) => {
  const asked: string[] = []
  postcss
    .parse(readFileSync(path.join(src, name), 'utf8'))
    .walkAtRules('media', ({ params }) => void asked.push(params))
  expect(asked.filter((params) => /\dpx/.test(params))).toEqual([])
})
