import { useState } from 'react'

interface LastChange {
  /** The card in which it was made. */
  by: 'methods' | 'factor'
  /** How many there were on this page. */
  count: number
}

/** The last change of how the person signs in: its card offers to sign out elsewhere, after each change anew. */
export interface LastChangeState {
  last: LastChange | null
  note: (by: LastChange['by']) => void
}

export function useLastChange(): LastChangeState {
  const [last, setLast] = useState<LastChange | null>(null)
  return {
    last,
    note: (by) => setLast((before) => ({ by, count: (before?.count ?? 0) + 1 })),
  }
}
