import { beforeEach, expect, test, vi } from 'vitest'
import { share } from './share'

const data = { title: 'T', text: 'E', url: 'http://localhost/blog/t' }
const writeText = vi.fn()
let alert = vi.spyOn(window, 'alert')
let prompt = vi.spyOn(window, 'prompt')

beforeEach(() => {
  writeText.mockReset().mockResolvedValue(undefined)
  alert = vi.spyOn(window, 'alert').mockReturnValue(undefined)
  prompt = vi.spyOn(window, 'prompt').mockReturnValue(null)
})

const refused = (name: string) => () => Promise.reject(new DOMException('no', name))

test('shares title, excerpt and address by the device', async () => {
  const byDevice = vi.fn().mockResolvedValue(undefined)
  vi.stubGlobal('navigator', { share: byDevice, clipboard: { writeText } })
  await share(data)
  expect(byDevice).toHaveBeenCalledExactlyOnceWith(data)
  expect(writeText).not.toHaveBeenCalled()
  expect(alert).not.toHaveBeenCalled()
})

test('a dismissed sheet is an answer', async () => {
  vi.stubGlobal('navigator', { share: refused('AbortError'), clipboard: { writeText } })
  await share(data)
  expect(writeText).not.toHaveBeenCalled()
  expect(alert).not.toHaveBeenCalled()
  expect(prompt).not.toHaveBeenCalled()
})

test.each([
  ['there is no sheet', undefined],
  ['the sheet is not allowed', refused('NotAllowedError')],
  ['the sheet cannot share it', refused('DataError')],
  ['the sheet fails', () => Promise.reject(new TypeError('no'))],
])('copies the address and says so when %s', async (_, byDevice) => {
  vi.stubGlobal('navigator', { share: byDevice, clipboard: { writeText } })
  await share(data)
  expect(writeText).toHaveBeenCalledExactlyOnceWith(data.url)
  expect(alert).toHaveBeenCalledExactlyOnceWith('Link copied to clipboard!')
  expect(prompt).not.toHaveBeenCalled()
})

test.each([
  ['refused', { writeText: refused('NotAllowedError') }],
  ['missing, as on a page without TLS,', undefined],
])('shows the address, to be copied by hand, when the clipboard is %s', async (_, clipboard) => {
  vi.stubGlobal('navigator', { clipboard })
  await share(data)
  expect(prompt).toHaveBeenCalledExactlyOnceWith('Copy this link:', data.url)
  expect(alert).not.toHaveBeenCalled()
})
