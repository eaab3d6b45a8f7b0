import { act, fireEvent, screen } from '@testing-library/react'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { renderApp } from '@/testing/render'
import { Tooltip } from './tooltip'

// One clock for all tests: when a tooltip closed is known to the next one.
beforeAll(() => void vi.useFakeTimers())
afterAll(() => void vi.useRealTimers())

beforeEach(async () => {
  renderApp(
    <>
      <Tooltip text="First tooltip">
        <button>First</button>
      </Tooltip>
      <Tooltip text="Second tooltip">
        <button>Second</button>
      </Tooltip>
    </>,
  )
  await wait(1000)
})
const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))

async function enter(name: string) {
  fireEvent.pointerOver(screen.getByRole('button', { name }), { pointerType: 'mouse' })
  await wait(0)
}

async function leave(name: string) {
  fireEvent.pointerLeave(screen.getByRole('button', { name }), { pointerType: 'mouse' })
  // One turn to close, one to be gone.
  await wait(5)
  await wait(5)
}

// An open tooltip would be known to the next test.
afterEach(async () => {
  await leave('First')
  await leave('Second')
})

test('a tooltip opens after 700 ms', async () => {
  await enter('First')
  await wait(690)
  expect(screen.queryByText('First tooltip')).toBeNull()
  await wait(20)
  expect(screen.getByText('First tooltip')).toBeVisible()
})

test.each([
  [150, 'at once', true],
  [500, 'not before its delay', false],
])('%i ms after one closed, the next opens %s', async (pause, _, atOnce) => {
  await enter('First')
  await wait(710)
  await leave('First')
  await wait(pause)
  await enter('Second')
  await wait(10)
  expect(screen.queryByText('Second tooltip') !== null).toBe(atOnce)
  await wait(700)
  expect(screen.getByText('Second tooltip')).toBeVisible()
})

test('a tooltip that was never seen hurries no other', async () => {
  await enter('First')
  await wait(100)
  await leave('First')
  await enter('Second')
  await wait(600)
  expect(screen.queryByText('Second tooltip')).toBeNull()
})
