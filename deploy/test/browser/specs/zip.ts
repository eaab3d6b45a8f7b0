import { readFileSync } from 'node:fs'
import { inflateRawSync } from 'node:zlib'

const ENTRY = 0x02014b50
const END = 0x06054b50

/** The texts in a ZIP file by their names, read from its central directory. */
export function readZip(path: string): Map<string, string> {
  const zip = readFileSync(path)
  const end = zip.length - 22
  if (zip.readUInt32LE(end) !== END) throw new Error(`${path} is no ZIP that is complete`)
  const files = new Map<string, string>()
  for (let at = zip.readUInt32LE(end + 16); at < end && zip.readUInt32LE(at) === ENTRY;) {
    const afterName = at + 46 + zip.readUInt16LE(at + 28)
    const name = zip.toString('utf8', at + 46, afterName)
    const local = zip.readUInt32LE(at + 42)
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
    const packed = zip.subarray(start, start + zip.readUInt32LE(at + 20))
    files.set(name, inflateRawSync(packed).toString('utf8'))
    at = afterName + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32)
  }
  return files
}
