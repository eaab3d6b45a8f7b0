import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyText } from '@/testing/any-text'
import { cleanLine, cleanText } from './clean-text'

test.each([
  ['Line one\vLine two', 'Line one\nLine two'],
  ['Page one\fPage two', 'Page one\nPage two'],
  ['one\r\ntwo\rthree\nfour', 'one\ntwo\nthree\nfour'],
  ['one\u2028two\u2029three\u0085four', 'one\ntwo\nthree\nfour'],
  ['\u001b[1;31merror:\u001b[0m no such module', 'error: no such module'],
  ['\u009b31merror', 'error'],
  ['\u001b]0;title\u0007done \u001b]8;;https://x.test\u001b\\link\u001b]8;;\u001b\\', 'done link'],
  ['\u001b]0;no end\nthe rest', 'the rest'],
  ['\u001b]0;no end\r\nthe rest', 'the rest'],
  ['\u001b(Bplain\u001b7', 'plain'],
  ['\u001bPq#0~\u001b\\a\u001b_x\u001b\\', 'a'],
  ['\u200b\ufeff \u3164\n\ufe0f', ''],
  ['\u200ba', '\u200ba'],
  ['a\u0000b\u0008c\u007fd\u0090e\u001b', 'abcde'],
  ['\tindented\n\n  kept', 'indented\n\n  kept'],
  ['Grüße 👩‍👩‍👧 שלום', 'Grüße 👩‍👩‍👧 שלום'],
])('%j becomes %j', (typed, clean) => {
  expect(cleanText(typed)).toBe(clean)
})

test('a line stays one', () => {
  expect(cleanLine(' No\vicons\tat\r\nall \u202etxt\u2069')).toBe('No icons at all txt')
  expect(cleanLine('\u202e x \u2066')).toBe('x')
})

test('the server accepts whatever is left of any text', () => {
  fc.assert(
    fc.property(anyText(), (typed) => {
      expect(cleanText(typed)).not.toMatch(/[^\P{Cc}\n\t]/u)
      expect(cleanLine(typed)).not.toMatch(/[\p{Cc}\u2028-\u202e\u2066-\u2069]/u)
    }),
  )
})

test('text without control characters is kept letter by letter', () => {
  fc.assert(
    fc.property(fc.string(), (typed) => {
      expect(cleanText(typed)).toBe(typed.trim())
    }),
  )
})
