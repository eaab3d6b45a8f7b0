import { afterEach, expect, it, vi } from 'vitest'
import { browserTabLink } from './tab-link'

const forbidden = new DOMException('The operation is insecure.', 'SecurityError')

afterEach(() => vi.unstubAllGlobals())

it('leaves a tab on its own where the browser forbids what tabs share', async () => {
  vi.stubGlobal(
    'BroadcastChannel',
    class {
      constructor() {
        throw forbidden
      }
    },
  )
  const locks = { request: () => Promise.reject(forbidden), query: () => Promise.reject(forbidden) }
  vi.stubGlobal('navigator', { locks })
  const link = browserTabLink()

  link.join(() => {})()
  link.tell(null)
  await expect(link.latest()).resolves.toBe(0)
  await expect(link.exclusively(async () => 'done')).resolves.toBe('done')
})

it('runs a task that fails once, and tells why', async () => {
  const locks = { request: (_: string, run: () => Promise<unknown>) => run() }
  vi.stubGlobal('navigator', { locks })
  const task = vi.fn(() => Promise.reject(new Error('down')))
  await expect(browserTabLink().exclusively(task)).rejects.toThrow('down')
  expect(task).toHaveBeenCalledTimes(1)
})
