import { act, render } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { InTurn } from './in-turn'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const next = () => act(() => vi.advanceTimersToNextTimerAsync())

test('parts come one after the other, into places that are kept for them', async () => {
  const { container } = render(
    <InTurn>
      <p>a</p>
      {null}
      <p>b</p>
      <p>c</p>
    </InTurn>,
  )
  const shown = () => [...container.children].map((child) => child.textContent)
  expect(shown()).toEqual(['a', '', ''])
  await next()
  expect(shown()).toEqual(['a', 'b', ''])
  await next()
  expect(shown()).toEqual(['a', 'b', 'c'])
  expect(vi.getTimerCount()).toBe(0)
})

test('a part that is there stays the same element', async () => {
  const { container } = render(
    <InTurn>
      <p>a</p>
      <p>b</p>
    </InTurn>,
  )
  const first = container.firstElementChild
  await next()
  expect(container.firstElementChild).toBe(first)
})
