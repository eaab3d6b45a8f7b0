import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  ticketCategories,
  ticketPriorities,
  ticketQueues,
  ticketStatuses,
} from '@/components/app/tickets/words'
import { anyText } from '@/testing/any-text'
import { MAX_SEARCH } from '../parameters'
import { MAX_PAGE, parseView, type TicketView, viewParams } from './ticket-view'

const id = '0b0f6f3c-7c1e-4f64-9f0e-2f1c7d9a1b2c'
const everything: TicketView = {
  status: '',
  category: '',
  priority: '',
  search: '',
  queue: '',
  tag: '',
  sort: '',
  page: 1,
  ticket: '',
}

const parse = (query: string) => parseView(new URLSearchParams(query))

function write(view: TicketView): string {
  const params = Object.entries(viewParams(view)).filter(([, value]) => value !== '')
  return new URLSearchParams(params).toString()
}

describe('the address of the tickets', () => {
  it.each<[string, Partial<TicketView>]>([
    ['', {}],
    ['status=in_progress', { status: 'in_progress' }],
    [
      'category=feature_request&priority=urgent',
      { category: 'feature_request', priority: 'urgent' },
    ],
    ['search=a%2Bb%20100%25', { search: 'a+b 100%' }],
    ['queue=waiting&sort=waiting&tag=crash', { queue: 'waiting', sort: 'waiting', tag: 'crash' }],
    ['page=7', { page: 7 }],
    [`ticket=${id}`, { ticket: id }],
    ['status=open&status=closed', { status: 'open' }],
  ])('%s is read', (query, view) => {
    expect(parse(query)).toEqual({ ...everything, ...view })
  })

  it.each([
    'status=all',
    'status=Open',
    'status=open%20',
    'status=%3Cscript%3E',
    'category=constructor',
    'priority=__proto__',
    'queue=all',
    'sort=newest',
    'tag=a%20b',
    'page=0',
    'page=-1',
    'page=1.5',
    'page=1e3',
    'page=%201',
    'page=٣',
    'page=200001',
    'page=99999999999999999999',
    'page=NaN',
    'ticket=TKT-000001',
    `ticket=${id}%00`,
    'ticket=../../etc',
    'status[]=open',
  ])('%s is as if it were not there', (query) => {
    expect(parse(query)).toEqual(everything)
  })

  it('is a search of one line, of the length that the API takes', () => {
    expect(parse('search=a%00b%0Ac%7F').search).toBe('a b c ')
    expect(parse(`search=${'x'.repeat(1000)}`).search).toHaveLength(MAX_SEARCH)
    expect(parse(`search=${'x'.repeat(MAX_SEARCH - 1)}${encodeURIComponent('🪶')}`).search).toBe(
      'x'.repeat(MAX_SEARCH - 1),
    )
  })

  const views: fc.Arbitrary<TicketView> = fc.record({
    status: fc.constantFrom('', ...ticketStatuses),
    category: fc.constantFrom('', ...ticketCategories),
    priority: fc.constantFrom('', ...ticketPriorities),
    search: fc
      .string({ unit: 'grapheme', maxLength: 60 })
      .map((text) => text.replaceAll(/\p{Cc}/gu, '')),
    queue: fc.constantFrom('', ...ticketQueues),
    tag: fc.constantFrom('', 'crash', 'größe'),
    sort: fc.constantFrom('', 'waiting'),
    page: fc.integer({ min: 1, max: MAX_PAGE }),
    ticket: fc.constantFrom('', id),
  })

  it('says again what was written to it', () => {
    fc.assert(
      fc.property(views, (view) => {
        expect(parse(write(view))).toEqual(view)
      }),
    )
  })

  it('gives something that can be asked for, whatever it says', () => {
    const names = fc.constantFrom('status', 'category', 'priority', 'search', 'page', 'ticket')
    const text = fc.oneof(anyText(400), fc.constantFrom('open', '2', id))
    fc.assert(
      fc.property(fc.array(fc.tuple(names, text), { maxLength: 12 }), (pairs) => {
        const view = parse(new URLSearchParams(pairs).toString())
        expect(['', ...ticketStatuses]).toContain(view.status)
        expect(['', ...ticketCategories]).toContain(view.category)
        expect(['', ...ticketPriorities]).toContain(view.priority)
        expect(view.search.length).toBeLessThanOrEqual(MAX_SEARCH)
        expect(view.search).not.toMatch(/\p{Cc}/u)
        expect(() => encodeURIComponent(view.search)).not.toThrow()
        expect(Number.isInteger(view.page) && view.page >= 1 && view.page <= MAX_PAGE).toBe(true)
        // Reading is stable: an address that is written back never changes what it shows.
        expect(parse(write(view))).toEqual(view)
      }),
    )
  })
})
