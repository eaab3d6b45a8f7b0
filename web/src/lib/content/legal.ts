import 'server-only'
import { renderMarkdown, type Rendered } from './markdown'
import { readSource } from './source'

export async function readLegal(document: 'terms' | 'privacy'): Promise<Rendered> {
  return renderMarkdown(await readSource(`legal/${document}.md`))
}
