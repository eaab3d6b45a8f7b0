import { afterEach, expect, it, vi } from 'vitest'
import { aSession } from '@/testing/session'
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

  link.subscribe(() => {})()
  link.broadcast(null)
  await expect(link.latestDeadline()).resolves.toBe(0)
  await expect(link.withLock(async () => 'done')).resolves.toBe('done')
})

it('runs a task that fails once, and tells why', async () => {
  const locks = { request: (_: string, run: () => Promise<unknown>) => run() }
  vi.stubGlobal('navigator', { locks })
  const task = vi.fn(() => Promise.reject(new Error('down')))
  await expect(browserTabLink().withLock(task)).rejects.toThrow('down')
  expect(task).toHaveBeenCalledTimes(1)
})

it('broadcasts a changed account beside the sessions, without a token', async () => {
  vi.stubGlobal('navigator', { locks: undefined })
  const heard: unknown[] = []
  const older = new BroadcastChannel('fledge-session')
  older.onmessage = ({ data }) => heard.push(data)
  const received = vi.fn()
  const leave = [browserTabLink().subscribe(received)]
  const link = browserTabLink()
  leave.push(link.subscribe(() => {}))
  const { user, ...session } = aSession()
  link.broadcast({ account: user })
  await vi.waitFor(() => expect(received).toHaveBeenLastCalledWith({ account: user }))
  link.broadcast({ session: { ...session, user }, deadline: 1 })
  await vi.waitFor(() => expect(heard).toHaveLength(1))
  expect(heard).toMatchObject([{ deadline: 1 }])
  leave.forEach((end) => end())
  older.close()
})
