import { render, screen } from '@testing-library/react'
import { useLayoutEffect, useRef } from 'react'
import { expect, test } from 'vitest'
import { useFilter } from './use-filter'

function Blog() {
  const { filter, setFilter, box } = useFilter(['Costs'])
  const button = useRef<HTMLButtonElement>(null)
  // With the commit of the hydration, before the effects that follow it.
  useLayoutEffect(() => button.current?.click(), [])
  return (
    <>
      <input ref={box} type="search" />
      <button ref={button} onClick={() => setFilter({ ...filter, tag: 'Costs' })}>
        Costs
      </button>
      <p>{`${filter.tag}: ${filter.search}`}</p>
    </>
  )
}

test('a tag that is chosen before the address has been read stays chosen, with the search of the address', () => {
  window.history.replaceState(null, '', '/blog?q=sum')
  render(<Blog />)
  expect(screen.getByRole('paragraph')).toHaveTextContent('Costs: sum')
  expect(screen.getByRole('searchbox')).toHaveValue('sum')
})
