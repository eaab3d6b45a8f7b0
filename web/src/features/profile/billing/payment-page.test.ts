import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyText } from '@/testing/any-text'
import { webAddress } from './payment-page'

test.each(['https://checkout.stripe.com/c/pay/cs_test_1#x', 'http://127.0.0.1:8084/pay'])(
  'a browser may be sent to %s',
  (address) => expect(webAddress(address)).toBe(address),
)

test.each([
  ...['javascript:alert(1)', 'JaVaScRiPt:alert(1)', 'java\nscript:alert(1)', ' javascript:x'],
  ...['data:text/html,x', 'vbscript:x', 'file:///etc/passwd', 'blob:https://a/b', '//evil', '/x'],
  ...['', null, undefined, 1, {}, ['https://a']],
])('a browser is not sent to %j', (address) => expect(webAddress(address)).toBeNull())

test('whatever the answer says, it leads to a web page or nowhere', () => {
  const texts = fc.oneof(
    anyText(),
    fc.anything(),
    anyText().map((text) => `https://${text}`),
  )
  fc.assert(
    fc.property(texts, (text) => {
      const address = webAddress(text)
      if (address !== null) expect(new URL(address).protocol).toMatch(/^https?:$/)
    }),
  )
})
