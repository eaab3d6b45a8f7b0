import { beforeEach, expect, test, vi } from 'vitest'

beforeEach(() => void vi.resetModules())

test('brings dates, today and the share buttons to life', async () => {
  vi.stubGlobal('requestIdleCallback', vi.fn())
  vi.useFakeTimers({ now: new Date(2026, 1, 3, 23, 30), toFake: ['Date'] })
  document.body.innerHTML = `
    <time datetime="2025-09-03" data-local>x</time>
    <time datetime="2020-01-01" data-today>x</time>
    <button data-share data-title="T" data-excerpt="E" hidden>Share</button>`
  const writeText = vi.fn().mockResolvedValue(undefined)
  vi.stubGlobal('navigator', { clipboard: { writeText } })
  const alert = vi.spyOn(window, 'alert').mockImplementation(() => {})

  await import('./main')

  const [article, today] = document.querySelectorAll('time')
  expect(article).toHaveTextContent(
    new Date(2025, 8, 3).toLocaleDateString(undefined, { dateStyle: 'long' }),
  )
  expect(today).toHaveTextContent('February 3, 2026')
  expect(today).toHaveAttribute('datetime', '2026-02-03')
  const button = document.querySelector('button')!
  expect(button).toBeVisible()
  button.click()
  await vi.waitFor(() => expect(alert).toHaveBeenCalledWith('Link copied to clipboard!'))
  vi.useRealTimers()
})

test('a link that cannot be copied is shown, to be copied by hand', async () => {
  vi.stubGlobal('requestIdleCallback', vi.fn())
  document.body.innerHTML = '<button data-share hidden>Share</button>'
  const writeText = vi.fn().mockRejectedValue(new DOMException('no', 'NotAllowedError'))
  vi.stubGlobal('navigator', { clipboard: { writeText } })
  const prompt = vi.spyOn(window, 'prompt').mockReturnValue(null)
  await import('./main')
  document.querySelector('button')?.click()
  await vi.waitFor(() =>
    expect(prompt).toHaveBeenCalledExactlyOnceWith('Copy this link:', window.location.href),
  )
})
