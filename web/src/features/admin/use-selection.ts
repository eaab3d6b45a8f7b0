import { useCallback, useState } from 'react'

const NONE: ReadonlySet<string> = new Set()

/**
 * Which of the shown items are selected. A change of `of`, the name of the filter, clears the selection, so that
 * nothing invisible can be changed with it.
 */
export function useSelection<Item extends { id: string }>(items: readonly Item[], of: string) {
  const [state, setState] = useState<{ of: string; ids: ReadonlySet<string> }>({
    of,
    ids: new Set(),
  })
  const ids = state.of === of ? state.ids : NONE
  const selected = items.filter((item) => ids.has(item.id))

  const set = (next: Iterable<string>) => setState({ of, ids: new Set(next) })
  const toggle = useCallback(
    ({ id }: Item, on?: boolean) =>
      setState((before) => {
        const next = new Set(before.of === of ? before.ids : NONE)
        if (on ?? !next.has(id)) next.add(id)
        else next.delete(id)
        return { of, ids: next }
      }),
    [of],
  )
  return {
    selected,
    /** Stable: the same set until the selection changes. */
    ids,
    has: (item: Item) => ids.has(item.id),
    /** Stable: the same function until the filter changes. */
    toggle,
    all: items.length > 0 && selected.length === items.length,
    toggleAll: (on: boolean) => set(on ? items.map(({ id }) => id) : []),
    only: set,
    clear: () => set([]),
  }
}

export type Selection<Item extends { id: string }> = ReturnType<typeof useSelection<Item>>
