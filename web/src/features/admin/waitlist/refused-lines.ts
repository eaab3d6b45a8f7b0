import type { ImportReport } from '@/lib/api/types'

type Line = ImportReport['lines'][number]

/** How many lines were refused for each reason, the most frequent first. */
export function reasonsOf(lines: readonly Line[]): [reason: string, count: number][] {
  const counts = new Map<string, number>()
  for (const { error = '' } of lines) counts.set(error, (counts.get(error) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)
}

/** What a spreadsheet would compute, unless an apostrophe stands before it, of which imports take the first away again. */
const FORMULA = /^'*(?:[\t\r\n]|[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠])/u

const cell = (text: string) => `"${FORMULA.test(text) ? "'" : ''}${text.replaceAll('"', '""')}"`

const HEAD = ['email', 'joined', 'status', 'source']

/** Further columns of our exports, which an import takes only together. */
const RECORD = [
  'consent',
  'consented_at',
  'confirmed_at',
  'left_at',
  'suppressed',
  'suppressed_at',
  'invitation_expired_at',
]

const WEEKDAY = /^\p{L}+[.,]? (?=\d)/u
const NUMBERS = /^(\d{1,2})([/-])(\d{1,2})\2(\d{4}|\d{2})(?!\d)/

/**
 * A date such as 3/4/2026, 3/4/26 or Sat 3/4/2026 with the year first, which an import reads in one way only; another
 * text as it is.
 */
function yearFirst(text: string, dayFirst: boolean): string {
  const numbers = NUMBERS.exec(text.replace(WEEKDAY, ''))
  if (!numbers) return text
  const [found, first = '', , second = '', year = ''] = numbers
  const [day, month] = dayFirst ? [first, second] : [second, first]
  // Of two digits, an import takes those from 69 for years of the last century.
  const short = year.length === 2
  if (Number(month) > 12 || Number(day) > 31 || (short && Number(year) > 68)) return text
  const date = [short ? `20${year}` : year, month.padStart(2, '0'), day.padStart(2, '0')]
  return date.join('-') + text.slice(text.indexOf(found) + found.length)
}

/**
 * The lines as a CSV file that can be corrected and imported, as our exports are written. `dayFirst` is how
 * the import has read their dates.
 */
export function refusedFile(lines: readonly Line[], dayFirst: boolean): string {
  const kept = lines.some(({ record }) => record) ? RECORD : []
  const rows = lines.map((line) => {
    const { email, joined = '', status = '', source = '', record = {}, error = '' } = line
    const cells = [email, yearFirst(joined, dayFirst), status, source]
    const of = kept.map((column) => record[column] ?? '')
    return [...cells, ...of, String(line.line), error].map(cell)
  })
  const head = [...HEAD, ...kept, 'line', 'reason']
  return `\ufeff${[head, ...rows].map((row) => `${row.join(',')}\r\n`).join('')}`
}
