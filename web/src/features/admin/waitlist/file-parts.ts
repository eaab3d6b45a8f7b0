/** The lines and characters of a part: 3 million characters are at most 9 MiB, and the API takes 10. */
export const PART_LINES = 25_000
export const PART_CHARACTERS = 3_000_000

/** How much longer a part becomes that waits for a line with an address. */
const PATIENCE = 1.1

/** How much of the file is in memory at a time, besides a part. */
const STEP_BYTES = 256 * 1024

/** A record between quotes that goes on for so many lines is none: its first quote makes no sense. */
const RECORD_LINES = 100

/** Some whole records of a file. */
export interface Part {
  body: ArrayBuffer
  /** What is added to the number of a line in the body to get its number in the file. */
  offset: number
  /** How many bytes of the file were read for this part and those before. */
  read: number
  /** Nothing follows. */
  last: boolean
}

/**
 * The parts of a file of lines, in UTF-8, each with the first `head` records of the file before it. A file that fits in one
 * part is that part, as it is.
 */
export async function* partsOf(file: File, head: number): AsyncGenerator<Part> {
  if (file.size <= PART_CHARACTERS) {
    const body = await file.arrayBuffer()
    if (countLines(body) <= PART_LINES) {
      yield { body, offset: 0, read: file.size, last: true }
      return
    }
  }
  const before: string[] = []
  let heads = 0
  let lines: string[] = []
  let characters = 0
  let began = 0 // the number of lines before those
  let quoted = 0 // for how many lines a record has been going on between quotes
  let read = 0
  const part = (last: boolean): Part => {
    const first = began === 0
    const text = (first ? lines : [...before, ...lines]).join('\n') + '\n'
    const made = { body: bytesOf(text), offset: first ? 0 : began - before.length, read, last }
    began += lines.length
    lines = []
    characters = 0
    return made
  }
  for await (const chunk of chunksOf(file)) {
    read = chunk.read
    for (const line of chunk.lines) {
      const full = lines.length >= PART_LINES || characters >= PART_CHARACTERS
      const long =
        lines.length >= PATIENCE * PART_LINES ||
        characters + line.length >= PATIENCE * PART_CHARACTERS
      // Without an address the API would take a part's first line for the names of the columns.
      if (quoted === 0 && lines.length > 0 && (long || (full && line.includes('@'))))
        yield part(false)
      lines.push(line)
      characters += line.length + 1
      const turns = line.split('"').length % 2 === 0
      const open = quoted > 0 ? !turns : turns
      quoted = open && quoted < RECORD_LINES ? quoted + 1 : 0
      if (heads < head) {
        before.push(line)
        if (quoted === 0 && line !== '') heads++
      }
    }
  }
  if (lines.some((line) => line !== '')) yield part(true)
}

/** The lines of a file, some at a time. */
async function* chunksOf(file: File): AsyncGenerator<{ lines: string[]; read: number }> {
  const decoder = new TextDecoder(await encodingOf(file))
  let rest = ''
  for await (const { bytes, read } of stepsOf(file)) {
    const last = read === file.size
    let text = rest + decoder.decode(bytes, { stream: !last })
    rest = ''
    if (!last && text.endsWith('\r')) {
      rest = '\r' // its line feed may be yet to come
      text = text.slice(0, -1)
    }
    const lines = text.split(/\r\n|[\r\n]/)
    const tail = lines.pop() ?? ''
    // What goes on for longer than a part is no line: the API refuses it, and it is not kept in memory.
    if (!last && tail.length < PART_CHARACTERS) rest = tail + rest
    else if (tail !== '') lines.push(tail)
    yield { lines, read }
  }
}

async function* stepsOf(file: File): AsyncGenerator<{ bytes: Uint8Array; read: number }> {
  for (let at = 0; at < file.size; at += STEP_BYTES) {
    const end = Math.min(at + STEP_BYTES, file.size)
    yield { bytes: new Uint8Array(await file.slice(at, end).arrayBuffer()), read: end }
  }
}

/** How many bytes tell whether they are UTF-16. */
const LOOKED_BYTES = 4096

/** UTF-8 or UTF-16, and Windows-1252 for what is neither: as the API, which is sent short files as they are. */
async function encodingOf(file: File): Promise<string> {
  const looked = new Uint8Array(await file.slice(0, LOOKED_BYTES).arrayBuffer())
  const [a, b] = looked
  if (a === 0xff && b === 0xfe) return 'utf-16le'
  if (a === 0xfe && b === 0xff) return 'utf-16be'
  const utf8 = await isUtf8(file)
  const zeros = (odd: number) => looked.filter((byte, at) => byte === 0 && at % 2 === odd).length
  const [even, odd] = [zeros(0), zeros(1)]
  const most = looked.length / (utf8 ? 4 : 20)
  if (odd > most && odd > 10 * even) return 'utf-16le'
  if (even > most && even > 10 * odd) return 'utf-16be'
  return utf8 ? 'utf-8' : 'windows-1252'
}

async function isUtf8(file: File): Promise<boolean> {
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const { bytes } of stepsOf(file)) utf8.decode(bytes, { stream: true })
    utf8.decode()
    return true
  } catch (error) {
    if (error instanceof TypeError) return false
    throw error
  }
}

/** How many lines are in a text, in whichever encoding, at most. */
function countLines(text: ArrayBuffer): number {
  let feeds = 0
  let returns = 0
  for (const byte of new Uint8Array(text)) {
    if (byte === 0x0a) feeds++
    if (byte === 0x0d) returns++
  }
  return Math.max(feeds, returns) + 1
}

const bytesOf = (text: string): ArrayBuffer => new TextEncoder().encode(text).buffer
