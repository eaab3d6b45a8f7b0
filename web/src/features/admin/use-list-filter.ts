import { oneOf } from './parameters'
import { useDebouncedSearch } from './use-debounced-search'
import { useUrlParams } from './use-url-params'

type ListFilter<Name extends string, Value extends string> = Record<Name, Value | ''> & {
  search: string
}

/**
 * The filter of a list by the parameter `name`, which is one of `values`, and by a search. `current` filters the
 * loaded rows immediately, `debounced` goes to the server.
 */
export function useListFilter<Name extends string, Value extends string>(
  name: Name,
  values: readonly Value[],
) {
  const { params, change } = useUrlParams()
  const search = useDebouncedSearch()
  const chosen = oneOf(values, params.get(name))
  const filterBy = (text: string) => ({ [name]: chosen, search: text }) as ListFilter<Name, Value>
  return {
    current: filterBy(search.text),
    debounced: filterBy(search.debounced),
    chosen,
    search: search.text,
    filtered: chosen !== '' || search.text !== '',
    debouncing: search.pending,
    type: search.type,
    choose: (value: string) => change({ ...search.flush(), [name]: oneOf(values, value) }),
    clear: () => {
      search.cancel()
      change({ [name]: '', search: '' })
    },
  }
}
