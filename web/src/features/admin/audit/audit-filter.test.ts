import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '@/testing/any-text'
import { changesOf } from '../changes'
import { actionNames, filterOf, parseView } from './audit-filter'

const read = (query: string) => parseView(new URLSearchParams(query))

describe('the address of the audit log', () => {
  it('says what is shown', () => {
    expect(read('action=waitlist.approved&search=ada&from=2026-11-01&to=2026-11-30')).toEqual({
      action: 'waitlist.approved',
      search: 'ada',
      from: '2026-11-01',
      to: '2026-11-30',
    })
  })

  it.each([
    'action=toString&from=2026-02-30&to=21.11.2026',
    'action=__proto__&from=2026-11-1&to=99999-01-01',
    'action=WAITLIST.APPROVED&from=&to=0000-00-00',
  ])('is anybody’s text: %s', (query) => {
    expect(read(query)).toEqual({ action: '', search: '', from: '', to: '' })
  })

  it('never asks for what the API would refuse', () => {
    const text = anyText(400)
    fc.assert(
      fc.property(text, text, text, text, (action, search, from, to) => {
        const view = parseView(new URLSearchParams({ action, search, from, to }))
        const asked = filterOf(view)
        expect(view.action === '' || Object.hasOwn(actionNames, view.action)).toBe(true)
        expect(asked.search.length).toBeLessThanOrEqual(254)
        expect(asked.search).not.toMatch(/\p{Cc}/u)
        expect(asked.search).not.toMatch(/\p{Cs}/u)
        for (const moment of [asked.from, asked.to]) {
          if (moment !== '') expect(new Date(moment).toISOString()).toBe(moment)
        }
      }),
    )
  })

  it('asks for whole days, the last one included', () => {
    const { from, to } = filterOf(read('from=2026-11-21&to=2026-11-21'))
    expect(new Date(from)).toEqual(new Date(2026, 10, 21))
    expect(new Date(to)).toEqual(new Date(2026, 10, 22))
  })
})

describe('what an action changed', () => {
  it('names what is different', () => {
    expect(
      changesOf(
        { status: 'in_progress', version: 3, roles: [] },
        { status: 'resolved', version: 3, roles: ['admin', 'user'], responded: true },
      ),
    ).toEqual([
      { name: 'status', from: 'in progress', to: 'resolved' },
      { name: 'roles', from: 'none', to: 'admin, user' },
      { name: 'responded', from: null, to: 'yes' },
    ])
  })

  it('is nothing for what only happened', () => {
    expect(changesOf(null, null)).toEqual([])
  })
})
