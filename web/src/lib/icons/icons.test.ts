// @vitest-environment node
import { expect, test } from 'vitest'
import { markPaths } from '@/components/brand/mark-paths'
import { favicon, icon, touchIcon } from './icons'

/** The width and height that a PNG states. */
function sizeOf(png: Uint8Array): number[] {
  const view = new DataView(png.buffer, png.byteOffset)
  expect([...png.subarray(1, 4)]).toEqual([...'PNG'].map((letter) => letter.charCodeAt(0)))
  return [view.getUint32(16), view.getUint32(20)]
}

test('icon.svg is the mark', async () => {
  const svg = await icon().text()
  for (const path of markPaths) expect(svg).toContain(`<path d="${path}"/>`)
})

test('favicon.ico has the mark in two sizes', async () => {
  const response = await favicon()
  expect(response.headers.get('Content-Type')).toBe('image/x-icon')
  const file = new Uint8Array(await response.arrayBuffer())
  const view = new DataView(file.buffer)
  const images = [view.getUint32(18, true), view.getUint32(34, true)]
  expect(images.map((offset) => sizeOf(file.subarray(offset)))).toEqual([
    [16, 16],
    [32, 32],
  ])
})

test('the icon of the home screen has the size that iOS asks for', async () => {
  const response = touchIcon()
  expect(response.headers.get('Content-Type')).toBe('image/png')
  expect(sizeOf(new Uint8Array(await response.arrayBuffer()))).toEqual([180, 180])
})
