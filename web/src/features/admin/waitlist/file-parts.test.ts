import { describe, expect, it } from 'vitest'
import { PART_LINES, partsOf } from './file-parts'

/** A file; jsdom's has no way to its bytes. */
const aFile = (bytes: Uint8Array): File =>
  ({
    size: bytes.length,
    arrayBuffer: async () => bytes.slice().buffer,
    slice: (begin: number, end: number) => aFile(bytes.slice(begin, end)),
  }) as unknown as File

const utf8 = (text: string) => new TextEncoder().encode(text)
const utf16 = (text: string) =>
  new Uint8Array(Uint16Array.from(`\ufeff${text}`, (letter) => letter.charCodeAt(0)).buffer)
const windows = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))

async function read(bytes: Uint8Array, head = 1) {
  const parts: { text: string; offset: number; read: number }[] = []
  for await (const { body, offset, read } of partsOf(aFile(bytes), head)) {
    parts.push({ text: new TextDecoder('utf-8', { fatal: true }).decode(body), offset, read })
  }
  return parts
}

const addresses = (count: number, end: string) =>
  Array.from({ length: count }, (_, n) => `person-${n}@bücher.test${end}`).join('')

describe('the parts of a file', () => {
  it('are one, as it is, of a short file', async () => {
    const bytes = windows('email\r\njörg@fledge.test\r\n')
    const parts: Uint8Array[] = []
    for await (const { body } of partsOf(aFile(bytes), 1)) parts.push(new Uint8Array(body))
    expect(parts).toEqual([bytes])
  })

  it.each([
    ['UTF-8', utf8, '\n'],
    ['UTF-16', utf16, '\r\n'],
    ['Windows-1252', windows, '\r'],
  ])('have all lines of a long file in %s once, after its head', async (_, encode, end) => {
    const count = 2 * PART_LINES + 10
    const bytes = encode(`sep=,${end}${end}email${end}${addresses(count, end)}`)
    const parts = await read(bytes, 2)
    expect(parts).toHaveLength(3)
    expect(parts.at(-1)!.read).toBe(bytes.length)
    let line = 0
    for (const { text, offset } of parts) {
      const lines = text.split('\n').slice(0, -1)
      expect(lines.slice(0, 3)).toEqual(['sep=,', '', 'email'])
      const first = lines.findIndex((one) => one.startsWith('person-'))
      expect(lines[first]).toBe(`person-${line}@bücher.test`)
      expect(first + 1 + offset).toBe(line + 4) // its number in the file
      line += lines.length - 3
    }
    expect(line).toBe(count)
  })

  it.each([
    ['little', true],
    ['big', false],
  ])('are of UTF-16 without a mark, whatever its first letter, %s end first', async (_, little) => {
    const text = `邮箱\n${addresses(PART_LINES + 1, '\n')}`
    const bytes = new Uint8Array(2 * text.length)
    const view = new DataView(bytes.buffer)
    for (let at = 0; at < text.length; at++) view.setUint16(2 * at, text.charCodeAt(at), little)
    const parts = await read(bytes)
    expect(parts).toHaveLength(2)
    expect(parts[1]!.text).toMatch(/^邮箱\nperson-\d+@bücher\.test\n/)
  })

  it('end between records, not within the quotes of one', async () => {
    const rows = Array.from({ length: PART_LINES }, (_, n) => `p${n}@fledge.test,"two\nlines"\n`)
    const parts = await read(utf8(`email,note\n${rows.join('')}`))
    expect(parts.length).toBeGreaterThan(1)
    for (const { text } of parts) expect(text).toMatch(/^email,note\np\d+@[\s\S]*,"two\nlines"\n$/)
  })

  it('begin with an address, as what does not is taken for the names of the columns', async () => {
    const rows = `${addresses(PART_LINES, '\n')}nobody\n${addresses(10, '\n')}`
    const parts = await read(utf8(rows), 0)
    expect(parts).toHaveLength(2)
    expect(parts[0]!.text).toMatch(/\nnobody\n$/)
    expect(parts[1]!.text).toBe(addresses(10, '\n'))
    expect(parts[1]!.offset).toBe(PART_LINES + 1)
  })

  it('end all the same when there are no lines', async () => {
    const parts = await read(utf8('x'.repeat(7_000_000)), 0)
    expect(parts.length).toBeGreaterThan(1)
    expect(Math.max(...parts.map(({ text }) => text.length))).toBeLessThan(4_000_000)
  })

  it('end all the same when a quote makes no sense', async () => {
    const parts = await read(utf8(`email\n"x@fledge.test\n${addresses(3 * PART_LINES, '\n')}`))
    expect(parts.length).toBeGreaterThan(2)
  })
})
