import { render, screen } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { PlayWhenSeen } from './play-when-seen'

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

const scene = (
  <figure>
    <PlayWhenSeen />
  </figure>
)

test('the scene plays when it is seen, and not before', () => {
  render(scene)
  const stage = screen.getByRole('figure')
  show(false)
  expect(stage).not.toHaveAttribute('data-playing')
  show(true)
  expect(stage).toHaveAttribute('data-playing')
  expect(disconnect).toHaveBeenCalledOnce()
})

test('a scene that is gone is watched no more', () => {
  const { unmount } = render(scene)
  unmount()
  expect(disconnect).toHaveBeenCalled()
})
