import type { Credits } from '@/lib/api/types'
import { twoDecimals } from '@/lib/numbers'

/** What became of the rest, such as '12.50 used · 3.00 set aside for work in progress'. */
export function usage(credits: Credits | null | undefined): string {
  if (!credits) return ''
  const parts = [`${twoDecimals(credits.used)} used`]
  if (credits.held > 0) parts.push(`${twoDecimals(credits.held)} set aside for work in progress`)
  return parts.join(' · ')
}
