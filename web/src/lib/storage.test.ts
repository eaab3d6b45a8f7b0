import { afterEach, describe, expect, it, vi } from 'vitest'
import { browserStore, expiringItem, tabStore } from './storage'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const note = expiringItem('note', 1000)

it('a store keeps text until it is removed', () => {
  expect(browserStore.get('a')).toBeNull()
  expect(browserStore.set('a', 'b')).toBe(true)
  expect(browserStore.get('a')).toBe('b')
  expect(tabStore.get('a')).toBeNull()
  browserStore.remove('a')
  expect(browserStore.get('a')).toBeNull()
})

it.each([
  ['refused', 'get' as const],
  ['full', 'setItem' as const],
])('storage that is %s keeps nothing and breaks nothing', (_, how) => {
  const refuse = () => {
    throw new DOMException('no', 'SecurityError')
  }
  if (how === 'get') {
    vi.spyOn(window, 'sessionStorage', 'get').mockImplementation(refuse)
    vi.spyOn(window, 'localStorage', 'get').mockImplementation(refuse)
  } else vi.spyOn(Storage.prototype, 'setItem').mockImplementation(refuse)
  for (const store of [browserStore, tabStore]) {
    expect(store.set('a', 'b')).toBe(false)
    expect(store.get('a')).toBeNull()
    store.remove('a')
  }
  note.set({ a: 1 })
  expect(note.get()).toBeNull()
})

describe('a note', () => {
  it('is there until its time is over', () => {
    vi.useFakeTimers()
    note.set({ search: '?a=b' })
    vi.advanceTimersByTime(999)
    expect(note.get()).toEqual({ search: '?a=b' })
    vi.advanceTimersByTime(1)
    expect(note.get()).toBeNull()
  })

  it('of the future counts for nothing', () => {
    tabStore.set('note', JSON.stringify({ value: 1, at: Date.now() + 60_000 }))
    expect(note.get()).toBeNull()
  })

  it.each(['', 'null', '1', '[]', '{"value":1}', '{"at":"x","value":1}', '{'])(
    'that cannot be read counts for nothing: %s',
    (text) => {
      tabStore.set('note', text)
      expect(note.get()).toBeNull()
    },
  )

  it('is removed', () => {
    note.set(1)
    note.remove()
    expect(note.get()).toBeNull()
  })
})
