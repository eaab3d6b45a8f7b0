import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '@/testing/any-text'
import { oneOf, searchOf } from '../parameters'
import { statuses } from '../waitlist/waitlist-filter'
import { aUser } from '../testing'
import { filterUsers, roles } from './user-filter'

describe('the address of the lists of people', () => {
  it.each(['', 'ADMIN', 'admin ', 'owner', '__proto__', 'toString', 'admin,user'])(
    'is anybody’s text: %j is no role',
    (raw) => expect(oneOf(roles, raw)).toBe(''),
  )

  it('never asks for what the API would refuse', () => {
    const text = fc.oneof(anyText(400), fc.constantFrom('admin', 'pending', 'all'))
    fc.assert(
      fc.property(text, (raw) => {
        const read = new URLSearchParams({ raw }).get('raw')
        expect(['', ...roles]).toContain(oneOf(roles, read))
        expect(['', 'pending', 'approved', 'rejected']).toContain(oneOf(statuses, read))
        const search = searchOf(read ?? '')
        expect(search.length).toBeLessThanOrEqual(254)
        expect(search).not.toMatch(/[\p{Cc}\p{Cs}\u200b\u2060\ufeff]/u)
      }),
      { examples: [['ann\u200b@\u2060fledge\ufeff']] },
    )
  })
})

describe('narrowing', () => {
  it('leaves out pages without a match', () => {
    const pages = [[aUser(1), aUser(2, ['admin', 'user'])], [aUser(3)]]
    const found = filterUsers(pages, { role: 'admin', search: ' PERSON ' })
    expect(found).toEqual([[pages[0]?.[1]]])
  })
})
