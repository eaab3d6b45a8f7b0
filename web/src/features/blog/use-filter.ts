import { useEffect, useRef, useState } from 'react'
import { ALL } from './filter'

export interface Filter {
  tag: string
  search: string
}

/** The debounce of address changes, in ms: browsers limit their rate. */
const DEBOUNCE = 300

/** The filter in the address, such as `?tag=Costs&q=swift`; a tag that no article has is none. */
function readAddress(tags: readonly string[]): Filter {
  const parameters = new URLSearchParams(window.location.search)
  const tag = parameters.get('tag') ?? ALL
  return { tag: tags.includes(tag) ? tag : ALL, search: parameters.get('q') ?? '' }
}

function writeAddress({ tag, search }: Filter): void {
  const address = new URL(window.location.href)
  const wanted = { tag: tag === ALL ? '' : tag, q: search.trim() }
  let changed = false
  for (const [name, value] of Object.entries(wanted)) {
    if ((address.searchParams.get(name) ?? '') === value) continue
    changed = true
    if (value) address.searchParams.set(name, value)
    else address.searchParams.delete(name)
  }
  // The state is null, so that Next's router, where it runs, syncs with the address.
  if (changed) window.history.replaceState(null, '', address)
}

/**
 * The filter of the blog, which is in the address, too: it survives a reload and can be shared. `box` is for the
 * search box; what was typed into it before the script came counts more than the address.
 */
export function useFilter(tags: readonly string[]) {
  const box = useRef<HTMLInputElement>(null)
  const [filter, setFilter] = useState<Filter>({ tag: ALL, search: '' })
  const known = tags.join('\n')

  useEffect(() => {
    const read = () => readAddress(known.split('\n'))
    const onPopState = () => {
      const filter = read()
      setFilter(filter)
      if (box.current) box.current.value = filter.search
    }
    const { tag, search } = read()
    const typed = box.current?.value || search
    // A click can be faster than this effect.
    setFilter((chosen) => ({
      tag: chosen.tag === ALL ? tag : chosen.tag,
      search: chosen.search || typed,
    }))
    if (box.current) box.current.value = typed
    window.addEventListener('popstate', onPopState)
    return () => window.removeEventListener('popstate', onPopState)
  }, [known])

  useEffect(() => {
    const timer = setTimeout(() => writeAddress(filter), DEBOUNCE)
    return () => clearTimeout(timer)
  }, [filter])

  return { filter, setFilter, box }
}
