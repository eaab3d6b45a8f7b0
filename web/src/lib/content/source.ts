import 'server-only'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { VFile } from 'vfile'
import { matter } from 'vfile-matter'

/**
 * Reads the Markdown file `name`, relative to content/. Its front matter is parsed to `data.matter`, and
 * stays in the text so that lines keep their numbers.
 */
export async function readSource(name: string): Promise<VFile> {
  const value = await readFile(path.join(process.cwd(), 'content', name), 'utf8')
  return toSource(name, value)
}

/** The Markdown `value` as the file content/`name`. */
export function toSource(name: string, value: string): VFile {
  const file = new VFile({ path: path.join('content', name), value })
  try {
    matter(file)
  } catch (error) {
    throw new Error(`${file.path}: front matter: ${(error as Error).message}`, { cause: error })
  }
  return file
}
