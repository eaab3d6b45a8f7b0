import type { Credits } from '@/lib/api/types'

const amount = new Intl.NumberFormat('en-US', {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
})

/** What became of the rest, such as '12.50 used · 3.00 set aside for work in progress'. */
export function usage(credits: Credits | null | undefined): string {
  if (!credits) return ''
  const parts = [`${amount.format(credits.used)} used`]
  if (credits.held > 0) parts.push(`${amount.format(credits.held)} set aside for work in progress`)
  return parts.join(' · ')
}
