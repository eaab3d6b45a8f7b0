import 'server-only'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { site } from '@/config/site'
import { renderMarkdown, type Rendered } from './markdown'

/** Names and addresses that a legal text may mention as `{name}`. */
const values: Record<string, string> = {
  name: site.name,
  supportEmail: site.emails.support,
  privacyEmail: site.emails.privacy,
  minimumMacOS: site.minimumMacOS,
}

/** Puts the site's names into `text`; throws on a name that it does not know. */
export function fillIn(text: string): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`legal text: unknown name {${name}}`)
    return value
  })
}

export async function readLegal(document: 'terms' | 'privacy'): Promise<Rendered> {
  const file = path.join(process.cwd(), 'content/legal', `${document}.md`)
  return renderMarkdown(fillIn(await readFile(file, 'utf8')))
}
