import { act, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { translate } from '@/testing/translate'
import { PartSkeleton } from './skeleton'
import { StillTrying } from './still-trying'
import { WaitingScreen } from './waiting-screen'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const wait = (milliseconds: number) => act(() => vi.advanceTimersByTimeAsync(milliseconds))
const said = () => screen.queryByText('Still trying…')

it.each([
  ['a skeleton', <PartSkeleton key="a" height="8rem" />],
  ['a page', <WaitingScreen key="b" text="Checking access..." />],
])('%s says after three seconds that it is still trying', async (_name, element) => {
  render(element)
  await wait(2999)
  expect(said()).toBeNull()
  await wait(1)
  expect(said()?.parentElement).toHaveRole('status')
})

it('counts from when the waiting began, and goes with it', async () => {
  const { rerender } = render(<StillTrying waiting={false} />)
  await wait(5000)
  rerender(<StillTrying waiting />)
  expect(said()).toBeNull()
  await wait(3000)
  expect(said()).toBeVisible()
  translate(document.body)
  rerender(<StillTrying waiting={false} />)
  expect(said()).toBeNull()
})
