import { useState } from 'react'

/**
 * Which of the shown items are selected. A selection is of what one filter shows, named `of`:
 * nothing that cannot be seen is ever changed with it.
 */
export function useSelection<Item extends { id: string }>(items: readonly Item[], of: string) {
  const [state, setState] = useState<{ of: string; ids: ReadonlySet<string> }>({
    of,
    ids: new Set(),
  })
  const ids = state.of === of ? state.ids : new Set<string>()
  const selected = items.filter((item) => ids.has(item.id))

  const set = (next: Iterable<string>) => setState({ of, ids: new Set(next) })
  return {
    selected,
    has: (item: Item) => ids.has(item.id),
    toggle: (item: Item, on = !ids.has(item.id)) =>
      set(on ? [...ids, item.id] : [...ids].filter((id) => id !== item.id)),
    all: items.length > 0 && selected.length === items.length,
    toggleAll: (on: boolean) => set(on ? items.map(({ id }) => id) : []),
    only: set,
    clear: () => set([]),
  }
}

export type Selection<Item extends { id: string }> = ReturnType<typeof useSelection<Item>>
