import 'server-only'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fillIn } from './fill-in'
import { renderMarkdown, type Rendered } from './markdown'

export async function readLegal(document: 'terms' | 'privacy'): Promise<Rendered> {
  const file = path.join(process.cwd(), 'content/legal', `${document}.md`)
  return renderMarkdown(fillIn(await readFile(file, 'utf8')))
}
