import { expect, test, vi } from 'vitest'
import { share } from './share'

const data = { title: 'T', text: 'E', url: 'https://fledge.example/blog/t' }
const clipboard = () => ({ writeText: vi.fn().mockResolvedValue(undefined) })

test('shares title, excerpt and address by the device', async () => {
  const target = { share: vi.fn().mockResolvedValue(undefined), clipboard: clipboard() }
  const say = vi.fn()
  await share(data, target, say)
  expect(target.share).toHaveBeenCalledWith(data)
  expect(target.clipboard.writeText).not.toHaveBeenCalled()
  expect(say).not.toHaveBeenCalled()
})

test('takes a dismissed sheet for an answer', async () => {
  const target = {
    share: vi.fn().mockRejectedValue(new Error('AbortError')),
    clipboard: clipboard(),
  }
  await expect(share(data, target, vi.fn())).resolves.toBeUndefined()
})

test('copies the address otherwise, and says so', async () => {
  const target = { clipboard: clipboard() }
  const say = vi.fn()
  await share(data, target, say)
  expect(target.clipboard.writeText).toHaveBeenCalledWith(data.url)
  expect(say).toHaveBeenCalledWith('Link copied to clipboard!')
})
