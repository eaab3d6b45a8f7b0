import { oneOf } from './parameters'
import { useSearchBox } from './use-search-box'
import { useUrlParams } from './use-url-params'

type ListFilter<Name extends string, Value extends string> = Record<Name, Value | ''> & {
  search: string
}

/**
 * The filter of a list by the parameter `name`, which is one of `values`, and by a search. `typed`
 * narrows the rows at hand at once, `asked` goes to the server.
 */
export function useListFilter<Name extends string, Value extends string>(
  name: Name,
  values: readonly Value[],
) {
  const { params, change } = useUrlParams()
  const box = useSearchBox()
  const chosen = oneOf(values, params.get(name))
  const filterBy = (search: string) => ({ [name]: chosen, search }) as ListFilter<Name, Value>
  return {
    typed: filterBy(box.text),
    asked: filterBy(box.asked),
    chosen,
    search: box.text,
    filtered: chosen !== '' || box.text !== '',
    settling: box.settling,
    type: box.type,
    choose: (value: string) => change({ [name]: oneOf(values, value) }),
    clear: () => {
      box.reset()
      change({ [name]: '', search: '' })
    },
  }
}
