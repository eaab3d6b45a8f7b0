import { expect, it } from 'vitest'
import { empty, startOf } from './wave-form'

it('leaves out what is empty', () => {
  expect(startOf('id', empty)).toEqual({ waveId: 'id' })
})

it('has times as the API has them', () => {
  const typed = { ...empty, joinedBefore: '2026-11-20', startsAt: '2026-12-01T09:00' }
  expect(startOf('id', typed)).toEqual({
    waveId: 'id',
    joinedBefore: new Date(2026, 10, 20).toISOString(),
    startsAt: new Date(2026, 11, 1, 9).toISOString(),
  })
})

it('sends what is no time, which is refused, instead of starting at once', () => {
  const typed = { ...empty, joinedBefore: '202609-11-20', startsAt: '202609-12-01T09:00' }
  expect(startOf('id', typed)).toEqual({
    waveId: 'id',
    joinedBefore: '202609-11-20T00:00',
    startsAt: '202609-12-01T09:00',
  })
})
