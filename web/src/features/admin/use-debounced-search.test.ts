import { act, renderHook } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { visit } from '@/testing/navigation'
import { useDebouncedSearch } from './use-debounced-search'

vi.mock('next/navigation', () => import('@/testing/navigation'))

beforeEach(() => {
  vi.useFakeTimers()
  visit('/admin?page=3')
})
afterEach(() => void vi.useRealTimers())

const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))

test('what is typed shows at once, and is asked for when typing pauses, from the first page', async () => {
  const { result } = renderHook(useDebouncedSearch)
  act(() => result.current.type('ad'))
  await wait(300)
  act(() => result.current.type('ada '))
  expect(result.current).toMatchObject({ text: 'ada ', debounced: '', pending: true })
  await wait(300)
  expect(window.location.search).toBe('?page=3')
  await wait(50)
  expect(window.location.search).toBe('?search=ada+')
  expect(result.current).toMatchObject({ text: 'ada ', debounced: 'ada', pending: false })
})

test('a draft is about the search that it began over, and does not come back with it', async () => {
  const { result } = renderHook(useDebouncedSearch)
  act(() => result.current.type('ada'))
  act(() => visit('/admin?search=grace'))
  expect(result.current.text).toBe('grace')
  act(() => visit('/admin'))
  await wait(1000)
  expect(result.current).toMatchObject({ text: '', pending: false })
  expect(window.location.search).toBe('')
})

test('it can go with another change, or be given up', async () => {
  const { result } = renderHook(useDebouncedSearch)
  expect(result.current.flush()).toEqual({})
  act(() => result.current.type('ada'))
  expect(result.current.flush()).toEqual({ search: 'ada' })
  act(() => result.current.cancel())
  await wait(1000)
  expect(window.location.search).toBe('?page=3')
})

test('a link that is followed before typing pauses stays followed', async () => {
  const { result } = renderHook(useDebouncedSearch)
  const link = document.body.appendChild(document.createElement('a'))
  link.href = '/admin?person=1'
  link.addEventListener('click', (event) => {
    event.preventDefault()
    visit('/admin?person=1')
  })
  act(() => result.current.type('ada'))
  act(() => link.click())
  await wait(1000)
  expect(window.location.search).toBe('?person=1')
  act(() => window.history.back())
  link.remove()
})
