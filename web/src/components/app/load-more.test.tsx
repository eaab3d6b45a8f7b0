import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useRef, useState } from 'react'
import { expect, test } from 'vitest'
import { LoadMore } from './load-more'

test('the button keeps the focus while a page is on its way, and the list gets it with the last', async () => {
  let arrive = () => {}
  function List() {
    const rows = useRef<HTMLUListElement>(null)
    const [state, setState] = useState<'more' | 'fetching' | 'all'>('more')
    arrive = () => setState('all')
    const list = {
      hasNextPage: state !== 'all',
      isFetchingNextPage: state === 'fetching',
      fetchNextPage: () => setState('fetching'),
    }
    return (
      <>
        <ul ref={rows} tabIndex={-1} aria-label="Rows" />
        <LoadMore list={list} listRef={rows} />
      </>
    )
  }
  render(<List />)
  await userEvent.click(screen.getByRole('button', { name: 'Load more' }))
  const button = screen.getByRole('button', { name: 'Loading...' })
  expect(button).toHaveFocus()
  expect(button).toHaveAttribute('aria-disabled', 'true')
  arrive()
  await expect.poll(() => screen.queryByRole('button')).toBeNull()
  expect(screen.getByRole('list', { name: 'Rows' })).toHaveFocus()
})

test('after a failure the button is there only where it is what retries', () => {
  const list = { hasNextPage: true, isFetchingNextPage: false, isError: true, fetchNextPage() {} }
  const listRef = { current: null }
  const { rerender } = render(<LoadMore list={list} listRef={listRef} />)
  expect(screen.queryByRole('button')).toBeNull()
  rerender(<LoadMore retries list={list} listRef={listRef} />)
  expect(screen.getByRole('button', { name: 'Load more' })).toBeVisible()
})
