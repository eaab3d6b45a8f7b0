import { render, screen } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { Stage } from './stage'

let show: (isIntersecting: boolean) => void
let disconnect: ReturnType<typeof vi.fn>

beforeEach(() => {
  disconnect = vi.fn()
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      disconnect = disconnect
      constructor(callback: (entries: object[]) => void) {
        show = (isIntersecting) => callback([{ isIntersecting }])
      }
      observe() {}
    },
  )
  vi.stubGlobal('requestIdleCallback', (task: () => void) => task())
})

test('the scene plays when it is seen, and not before', () => {
  render(<Stage>scene</Stage>)
  const stage = screen.getByRole('figure')
  show(false)
  expect(stage).not.toHaveAttribute('data-playing')
  show(true)
  expect(stage).toHaveAttribute('data-playing')
  expect(disconnect).toHaveBeenCalledOnce()
})

test('a scene that is gone is watched no more', () => {
  const { unmount } = render(<Stage>scene</Stage>)
  unmount()
  expect(disconnect).toHaveBeenCalled()
})

test('who comes late finds it complete', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  render(<Stage>scene</Stage>)
  vi.advanceTimersByTime(4000)
  expect(screen.getByRole('figure')).toHaveAttribute('data-playing')
  vi.useRealTimers()
})
