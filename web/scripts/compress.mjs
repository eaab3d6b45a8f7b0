import { readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { listFiles, out } from './pages.mjs'

const compressible = /\.(js|css|svg|json)$/
/** Below this size, in bytes, the headers outweigh the gain. */
const WORTH_IT = 512
/** zlib uses four threads; more files at once would only use more memory. */
const AT_ONCE = 4

const brotli = promisify(brotliCompress)
const gz = promisify(gzip)

async function compress(file) {
  const data = await readFile(file)
  if (data.length < WORTH_IT) return
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: data.length,
  }
  await writeFile(`${file}.br`, await brotli(data, { params }))
  await writeFile(`${file}.gz`, await gz(data, { level: 9 }))
}

/** Writes a .br and a .gz beside each compressible file of the export whose name is a hash of its content. */
export async function compressStatic() {
  const files = await listFiles(path.join(out, '_next/static'))
  await Promise.all(files.filter((name) => /\.(br|gz)$/.test(name)).map((name) => rm(name)))
  const queue = files.filter((name) => compressible.test(name))
  const worker = async () => {
    for (let file = queue.pop(); file; file = queue.pop()) await compress(file)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}
