import { options } from 'preact'
import { act, cleanup } from '@testing-library/react'
import { render as toMarkup } from 'preact-render-to-string'
import { afterEach, expect, test, vi } from 'vitest'
import { PageBody } from '@/components/page-body'
import { onProblem } from '@/lib/analytics/problems'
import dynamic from './next/dynamic'
import { useSearchParams } from './next/navigation'
import { start } from './start'

vi.mock('@/components/page-views', () => ({ PageViews: () => null }))

afterEach(() => {
  cleanup()
  document.body.innerHTML = ''
})

const Shell = ({ children }: { children: React.ReactNode }) => <main>{children}</main>

/** Starts a page whose exported markup shows `exported`; resolves to the element that was rendered. */
async function open(Page: React.ComponentType, exported: React.ReactNode) {
  const markup = (
    <PageBody>
      <Shell>{exported}</Shell>
    </PageBody>
  )
  document.body.innerHTML = toMarkup(markup as never)
  const rendered = document.querySelector('main')
  await act(async () => {
    start(Page, [Shell])
    await new Promise((resolve) => setTimeout(resolve))
  })
  return rendered
}

const shown = () => document.querySelector('main')?.textContent

test('a page comes to life in its layout, with the elements that are there', async () => {
  const rendered = await open(() => 'text', 'text')
  expect(shown()).toBe('text')
  expect(document.querySelector('main')).toBe(rendered)
})

test('a page that fails says what went wrong', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  const report = vi.fn()
  const stop = onProblem(report)
  const error = new Error('The feather broke.')
  const Page = () => {
    throw error
  }
  await open(Page, null)
  stop()
  expect(document.body).toHaveTextContent('Unexpected Application Error!')
  expect(document.body).toHaveTextContent('The feather broke.')
  expect(log).toHaveBeenCalledWith(error)
  expect(report).toHaveBeenCalledWith('The feather broke.')
})

test('what is loaded later has its place held', async () => {
  let arrive: ((component: React.ComponentType) => void) | undefined
  const load = () => new Promise<React.ComponentType>((resolve) => (arrive = resolve))
  await open(dynamic(load, { loading: () => <>wait</> }), 'wait')
  await vi.waitFor(() => expect(arrive).toBeDefined())
  expect(shown()).toBe('wait')
  arrive?.(() => <>there</>)
  await vi.waitFor(() => expect(shown()).toBe('there'))
})

test('the query of the address is followed', async () => {
  const Page = () => <>{useSearchParams().get('tab') ?? 'none'}</>
  await open(Page, 'none')
  window.history.pushState(null, '', '?tab=users')
  await vi.waitFor(() => expect(shown()).toBe('users'))
  window.history.replaceState(null, '', window.location.pathname)
  await vi.waitFor(() => expect(shown()).toBe('none'))
})

test('what a page may come to show is fetched when the page is quiet', async () => {
  document.head.innerHTML =
    '<template data-later><link rel="modulepreload" href="/c.js"></template>'
  vi.useFakeTimers()
  try {
    start(() => null, [Shell])
    expect(document.head.querySelector('link')).toBeNull()
    await act(() => vi.advanceTimersByTimeAsync(600))
    expect(document.head.querySelector('link')).toHaveAttribute('href', '/c.js')
  } finally {
    vi.useRealTimers()
  }
})

test('effects take turns with the page until it is quiet, and then follow at once', async () => {
  vi.useFakeTimers()
  const effects = vi.fn()
  try {
    start(() => null, [Shell])
    await act(() => vi.advanceTimersByTimeAsync(100))
    options.requestAnimationFrame?.(effects)
    await Promise.resolve()
    expect(effects).not.toHaveBeenCalled()
    await act(() => vi.advanceTimersByTimeAsync(500))
    expect(effects).toHaveBeenCalledOnce()
    options.requestAnimationFrame?.(effects)
    await Promise.resolve()
    expect(effects).toHaveBeenCalledTimes(2)
  } finally {
    vi.useRealTimers()
  }
})
