import 'server-only'
import { createHighlighter, type Highlighter, type ThemeRegistrationRaw } from 'shiki'

/**
 * Token classes of highlighted code. The theme paints each with a colour of its own that no page
 * ever sees: it only tells which class a token belongs to, the stylesheet has the real colours.
 */
const classes = {
  k: ['keyword', 'storage.type', 'storage.modifier', 'keyword.other'],
  t: ['entity.name.type', 'support.type', 'support.class', 'storage.type.attribute'],
  c: ['entity.name.function', 'support.function', 'meta.function-call entity.name'],
  s: ['string', 'punctuation.definition.string'],
  n: ['constant.numeric', 'constant.language', 'support.constant'],
  m: ['comment', 'punctuation.definition.comment'],
} as const

type TokenClass = keyof typeof classes

const names = Object.keys(classes) as TokenClass[]
const colorOf = (index: number) => `#0000${(index + 1).toString(16).padStart(2, '0')}`

const theme: ThemeRegistrationRaw = {
  name: 'classes',
  settings: [
    { settings: { foreground: '#000000', background: '#ffffff' } },
    ...names.map((name, index) => ({
      scope: [...classes[name]],
      settings: { foreground: colorOf(index) },
    })),
  ],
}

const classByColor = new Map(names.map((name, index) => [colorOf(index), name]))

let highlighter: Promise<Highlighter> | undefined

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (character) => escapes[character]!)

/** Languages that articles and scenes may use. */
export const languages = ['swift', 'sql', 'json', 'bash'] as const
export type Language = (typeof languages)[number]

/** A type name at a call such as `Toggle(` reads as a type, as it does in Xcode. */
const typeCall = /^[A-Z]\w*$/

/** Highlights `code` at build time: one HTML string per line, tokens as `<i class=k>` and so on. */
export async function highlightLines(code: string, lang: Language): Promise<string[]> {
  highlighter ??= createHighlighter({ themes: [theme], langs: [...languages] })
  // No time limit: on a busy machine it would leave lines plain, and builds would differ.
  const { tokens } = (await highlighter).codeToTokens(code, {
    lang,
    theme: 'classes',
    tokenizeTimeLimit: 0,
  })
  return tokens.map((line) =>
    line
      .map(({ content, color }) => {
        const text = escapeHtml(content)
        const known = classByColor.get((color ?? '').toLowerCase())
        const name = known === 'c' && typeCall.test(content.trim()) ? 't' : known
        return name ? `<i class=${name}>${text}</i>` : text
      })
      .join(''),
  )
}
