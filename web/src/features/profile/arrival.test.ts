import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { anyText } from '@/testing/any-text'
import { readArrival } from './arrival'

const at = (address: string) => readArrival(`https://fledge.example${address}`)
const paid = (query: string) => at(`/profile?success=true&${query}`).payment

const nothing = {
  wantsPlans: false,
  wantsDeletion: false,
  linkingFailed: false,
  payment: null,
  pack: null,
}

test.each([
  ['/profile?success=true&pack=20&session_id=cs_test_1', 'cs_test_1'],
  ['/profile?success=true&pack=20&session_id=../x', null],
  ['/profile?pack=20&session_id=cs_test_1', null],
])('a pack that was paid: %s', (address, pack) => {
  expect(at(address)).toMatchObject({ payment: null, pack })
})

test.each([
  ['/profile?linking=failed&flow=2f1c&a=1', true, '/profile?a=1'],
  ['/profile?linking=ok&flow=2f1c', false, '/profile?linking=ok&flow=2f1c'],
])('%s', (address, linkingFailed, left) => {
  expect(at(address)).toEqual({ ...nothing, linkingFailed, left })
})

test.each([
  ['/profile', false, '/profile'],
  ['/profile?paywall=true', true, '/profile'],
  ['/profile?a=1&paywall=true#beta', true, '/profile?a=1#beta'],
  ['/profile?paywall=false', false, '/profile'],
  ['/profile?paywall', false, '/profile'],
  ['/profile#upgrade', true, '/profile'],
  ['/profile?a=1#upgrade', true, '/profile?a=1'],
  ['/profile#upgrades', false, '/profile#upgrades'],
  ['/profile?canceled=true', false, '/profile'],
  ['/profile?canceled=true&paywall=true', false, '/profile'],
  ['/profile?paywall=true&paywall=x#upgrade', true, '/profile'],
  ['/profile?paywall=x&paywall=true', false, '/profile'],
  ['/profile?canceled=false', false, '/profile?canceled=false'],
  ['/profile?success=TRUE', false, '/profile?success=TRUE'],
])('%s', (address, wantsPlans, left) => {
  expect(at(address)).toEqual({ ...nothing, wantsPlans, left })
})

test.each([
  ['/profile#delete-account', true, '/profile'],
  ['/profile?a=1#delete-account', true, '/profile?a=1'],
  ['/profile#delete', false, '/profile#delete'],
  ['/profile?delete-account=true', false, '/profile?delete-account=true'],
  ['/profile?canceled=true#delete-account', false, '/profile'],
])('%s', (address, wantsDeletion, left) => {
  expect(at(address)).toEqual({ ...nothing, wantsDeletion, left })
})

describe('a payment', () => {
  it('has the defaults where the address says nothing', () => {
    expect(at('/profile?success=true')).toEqual({
      ...nothing,
      payment: {
        plan: 'Pro',
        named: false,
        tokens: '100',
        price: '$20',
        yearly: false,
        sessionId: null,
      },
      left: '/profile',
    })
  })

  it('counts more than a checkout that was left', () => {
    const either = at('/profile?canceled=true&success=true&paywall=true#upgrade')
    expect(either).toEqual(at('/profile?success=true'))
  })

  it('is read as our own checkout writes it', () => {
    const query = 'plan=Business&tokens=100&price=%2450&session_id=cs_test_a1B2'
    expect(at(`/profile?success=true&${query}#upgrade`)).toEqual({
      ...nothing,
      payment: {
        plan: 'Business',
        named: true,
        tokens: '100',
        price: '$50',
        yearly: false,
        sessionId: 'cs_test_a1B2',
      },
      left: '/profile',
    })
  })

  it.each(['', '+', 'Plan', 'plan', '%00', '%3C%3E', '%E2%80%AE'])(
    'has no name in plan=%s',
    (plan) => {
      expect(paid(`plan=${plan}`)?.plan).toBeNull()
    },
  )

  it.each([
    ['Pro+Plus', 'Pro Plus'],
    [encodeURIComponent('Größer & mehr'), 'Größer & mehr'],
    [encodeURIComponent('برو'), 'برو'],
    [encodeURIComponent('<img src=x onerror=alert(1)>'), 'img srcx onerroralert1'],
    [encodeURIComponent('Pro\u202e\u200b'), 'Pro'],
    ['x'.repeat(5000), 'x'.repeat(40)],
  ])('plan=%s is called %s', (plan, name) => {
    expect(paid(`plan=${plan}`)?.plan).toBe(name)
  })

  it.each(['', '-1', '1e9', 'Infinity', '99999999', '1.234', '<b>1</b>', '0x10'])(
    'takes no %s for credits',
    (tokens) => expect(paid(`tokens=${encodeURIComponent(tokens)}`)?.tokens).toBe('100'),
  )

  it.each([
    ['25', '$25'],
    ['%2425', '$25'],
    ['%2425.50', '$25.50'],
    ['%241%2C200', '$1,200'],
    ['%241%2C200.50', '$1,200.50'],
    ['2%2C5', '$20'],
    ['-5', '$20'],
    ['%24', '$20'],
    ['1000000000', '$20'],
    ['free', '$20'],
    ['Flexible+billing', '$20'],
  ])('price=%s is %s', (price, shown) => expect(paid(`price=${price}`)?.price).toBe(shown))

  it.each(['', '{CHECKOUT_SESSION_ID}', 'cs_', 'cs_a b', 'cs_a/../b', `cs_${'a'.repeat(300)}`])(
    'takes no %s for a checkout',
    (id) => expect(paid(`session_id=${encodeURIComponent(id)}`)?.sessionId).toBeNull(),
  )

  it('is short plain text, whatever the address says', () => {
    const text = fc.oneof(fc.string(), anyText())
    fc.assert(
      fc.property(text, text, text, text, (plan, tokens, price, session_id) => {
        const query = new URLSearchParams({ success: 'true', plan, tokens, price, session_id })
        const { payment, left } = at(`/profile?${query}`)
        expect(payment?.plan ?? 'x').toMatch(/^[\p{L}\p{M}\p{N} .&+-]{1,40}$/u)
        expect(payment?.tokens).toMatch(/^\d{1,7}(\.\d{1,2})?$/)
        expect(payment?.price).toMatch(/^\$\d{1,6}(\.\d{1,2})?$/)
        expect(payment?.sessionId ?? 'cs_a').toMatch(/^cs_\w{1,250}$/)
        expect(left).toBe('/profile')
      }),
    )
  })
})
