/** What the API takes at a time, in either direction. */
const MOST = 10_000

const FORM = /^[+-]?\d{1,5}$|^[+-]?\d{1,5}\.\d{1,2}$/

/** The credits that were typed, such as '5', '+5.00' or '-2.50'; null for what is none. */
export function creditsOf(text: string): number | null {
  const typed = text.trim().replace('−', '-')
  const credits = FORM.test(typed) ? Number(typed) : 0
  return credits !== 0 && Math.abs(credits) <= MOST ? credits : null
}
