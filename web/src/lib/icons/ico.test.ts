import { expect, test } from 'vitest'
import { ico } from './ico'

test('an icon file says where its images are', () => {
  const small = new Uint8Array([1, 2, 3])
  const large = new Uint8Array([4, 5])
  const file = ico([
    { size: 16, png: small },
    { size: 256, png: large },
  ])
  const view = new DataView(file.buffer)
  expect([...file.subarray(0, 6)]).toEqual([0, 0, 1, 0, 2, 0])
  expect([...file.subarray(6, 8)]).toEqual([16, 16])
  // A side of 256 is written as 0.
  expect([...file.subarray(22, 24)]).toEqual([0, 0])
  for (const [entry, png] of [
    [6, small],
    [22, large],
  ] as const) {
    expect(view.getUint16(entry + 6, true)).toBe(32)
    const offset = view.getUint32(entry + 12, true)
    expect(file.subarray(offset, offset + view.getUint32(entry + 8, true))).toEqual(png)
  }
  expect(file).toHaveLength(6 + 2 * 16 + 5)
})
