/**
 * Dates in US English and the visitor's time zone as `Intl.DateTimeFormat` writes them, without its
 * weight: a phone takes a tenth of a second for its first one.
 */
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')
const MONTHS =
  'January February March April May June July August September October November December'.split(' ')

const two = (value: number): string => String(value).padStart(2, '0')

/** Of 0 to 11, such as 'September'. */
export const monthName = (month: number): string => MONTHS[month]!

/** Of 0 to 11, such as 'Sep'. */
export const shortMonthName = (month: number): string => monthName(month).slice(0, 3)

/** Such as 'September 3, 2025'. */
export function longDay(time: number): string {
  const date = new Date(time)
  return `${monthName(date.getMonth())} ${date.getDate()}, ${date.getFullYear()}`
}

/** Such as 'Sep 3, 2025'. */
export function shortDay(time: number): string {
  const date = new Date(time)
  return `${shortMonthName(date.getMonth())} ${date.getDate()}, ${date.getFullYear()}`
}

/** Such as 'Wednesday, September 3, 2025'. */
export const fullDay = (time: number): string =>
  `${DAYS[new Date(time).getDay()]}, ${longDay(time)}`

/** Such as '9:05 PM'. */
export function clock(time: number): string {
  const date = new Date(time)
  const hours = date.getHours()
  return `${hours % 12 || 12}:${two(date.getMinutes())} ${hours < 12 ? 'AM' : 'PM'}`
}

/** Such as '21:05'. */
export function clock24(time: number): string {
  const date = new Date(time)
  return `${two(date.getHours())}:${two(date.getMinutes())}`
}
