import fc from 'fast-check'

/**
 * Text of any UTF-16 units, halves of surrogate pairs and control characters among them. The same of
 * fast-check's own, its unit 'binary', takes each test file a second to prepare.
 */
export function anyText(maxLength = 40): fc.Arbitrary<string> {
  const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code))
  return fc.string({ unit: fc.oneof(unit, fc.string({ minLength: 1, maxLength: 1 })), maxLength })
}
