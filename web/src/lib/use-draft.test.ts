import { act, renderHook } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { forgetStaffDrafts, staffDraft, useDraft } from './use-draft'

const draftOf = (key: string) => renderHook(({ key }) => useDraft(key), { initialProps: { key } })

test('a draft outlives its field, each under its own key, until it is emptied', () => {
  const first = draftOf('reply:jane:1')
  expect(first.result.current[0]).toBe('')
  act(() => first.result.current[1]('Dear Ada'))
  expect(first.result.current[0]).toBe('Dear Ada')
  first.rerender({ key: 'reply:jane:2' })
  expect(first.result.current[0]).toBe('')
  first.unmount()

  const second = draftOf('reply:jane:1')
  expect(second.result.current[0]).toBe('Dear Ada')
  act(() => second.result.current[1](''))
  expect(second.result.current[0]).toBe('')
  expect(sessionStorage).toHaveLength(0)
})

test('it is written where a reload finds it', () => {
  const { result } = draftOf('reply:jane:1')
  act(() => result.current[1]('Dear Ada'))
  expect(Object.values({ ...sessionStorage })).toEqual(['Dear Ada'])
})

test('a sign-out erases what the person typed as staff, and nothing else', () => {
  const [mine, others, own] = [
    draftOf(staffDraft('jane', 'reason:suspend:ada')),
    draftOf(staffDraft('janet', 'reason:suspend:jane')),
    draftOf('reply:jane:1'),
  ]
  for (const { result } of [mine, others, own]) act(() => result.current[1]('Dear Ada'))
  act(() => forgetStaffDrafts('jane'))
  expect(mine.result.current[0]).toBe('')
  expect(others.result.current[0]).toBe('Dear Ada')
  expect(own.result.current[0]).toBe('Dear Ada')
  for (const { result } of [others, own]) act(() => result.current[1](''))
})

test('without storage it still holds what is typed', () => {
  vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new Error('forbidden')
  })
  const { result, unmount } = draftOf('reply:jane:3')
  act(() => result.current[1]('Dear Ada'))
  expect(result.current[0]).toBe('Dear Ada')
  unmount()
  expect(draftOf('reply:jane:3').result.current[0]).toBe('Dear Ada')
})
