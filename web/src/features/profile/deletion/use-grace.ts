import { useEffect, useState } from 'react'
import { loadSettings } from '@/config/settings'

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const

/** A time in the largest unit that says it exactly, such as '7 days'; '' for none. */
export function inWords(seconds: number): string {
  const unit = UNITS.find(([, length]) => seconds > 0 && seconds % length === 0)
  if (!unit) return ''
  const [name, length] = unit
  const count = seconds / length
  return `${count} ${name}${count === 1 ? '' : 's'}`
}

/** How long a deletion can be taken back, in words; '' where it cannot, null until that is known. */
export function useGrace(): string | null {
  const [grace, setGrace] = useState<string | null>(null)
  useEffect(() => {
    void loadSettings().then(({ deletionGrace }) => setGrace(inWords(deletionGrace)))
  }, [])
  return grace
}
