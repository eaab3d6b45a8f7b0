import type { ImportReport } from '@/lib/api/types'

type Line = ImportReport['lines'][number]

/** How many lines were refused for each reason, the most frequent first. */
export function reasonsOf(lines: readonly Line[]): [reason: string, count: number][] {
  const counts = new Map<string, number>()
  for (const { error = '' } of lines) counts.set(error, (counts.get(error) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)
}

/** What a spreadsheet would compute, unless an apostrophe stands before it, which imports take away again. */
const FORMULA = /^(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/

const cell = (text: string) => `"${FORMULA.test(text) ? "'" : ''}${text.replaceAll('"', '""')}"`

const HEAD = ['email', 'joined', 'status', 'source', 'line', 'reason']

/** The lines as a CSV file that can be corrected and imported, as our exports are written. */
export function refusedFile(lines: readonly Line[]): string {
  const rows = lines.map(({ line, email, joined = '', status = '', source = '', error = '' }) =>
    [email, joined, status, source, String(line), error].map(cell),
  )
  return `\ufeff${[HEAD, ...rows].map((row) => `${row.join(',')}\r\n`).join('')}`
}
