import { Children, type ReactNode } from 'react'
import { useTurns } from './use-turns'

/**
 * Children that come one after the other, each in a task of its own: a phone would be busy with all of
 * them for so long that it answers no touch. Those that are still to come have an empty place.
 */
export function InTurn({ children }: { children: ReactNode }) {
  const all = Children.toArray(children)
  const shown = useTurns(all.length)
  return all.map((child, at) => (at < shown ? child : <div key={at} />))
}
