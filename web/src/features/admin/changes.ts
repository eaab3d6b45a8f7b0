import { spaced } from '@/lib/words'

type State = Readonly<Record<string, unknown>> | null | undefined

/** One thing that was changed, or just is so. */
export interface Change {
  name: string
  /** Null where there was nothing before. */
  from: string | null
  to: string | null
}

function text(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(text).join(', ')
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string') return spaced(value)
  return typeof value === 'number' ? String(value) : JSON.stringify(value)
}

const valueOf = (state: State, name: string): string | null =>
  state && Object.hasOwn(state, name) ? text(state[name]) : null

/** What is different between two states, by name; what stayed as it was is left out. */
export function changesOf(before: State, after: State): Change[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])
  return [...names]
    .map((name) => ({ name: spaced(name), from: valueOf(before, name), to: valueOf(after, name) }))
    .filter(({ from, to }) => from !== to)
}
