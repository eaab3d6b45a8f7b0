/** A square PNG and the length of its side in pixels, at most 256. */
interface IconImage {
  size: number
  png: Uint8Array
}

const HEADER = 6
const ENTRY = 16

/** An ICO file (little-endian directory, then the images) that holds PNGs. */
export function ico(images: readonly IconImage[]): Uint8Array<ArrayBuffer> {
  const start = HEADER + ENTRY * images.length
  const file = new Uint8Array(images.reduce((sum, { png }) => sum + png.length, start))
  const view = new DataView(file.buffer)
  view.setUint16(2, 1, true) // Icons, not cursors.
  view.setUint16(4, images.length, true)
  let offset = start
  images.forEach(({ size, png }, index) => {
    const entry = HEADER + ENTRY * index
    view.setUint8(entry, size % 256)
    view.setUint8(entry + 1, size % 256)
    view.setUint16(entry + 4, 1, true) // Colour planes.
    view.setUint16(entry + 6, 32, true) // Bits per pixel.
    view.setUint32(entry + 8, png.length, true)
    view.setUint32(entry + 12, offset, true)
    file.set(png, offset)
    offset += png.length
  })
  return file
}
