import { site } from '@/config/site'

/** What a text in content/ may mention as `{name}`. */
const values: Record<string, string> = {
  name: site.name,
  supportEmail: site.emails.support,
  privacyEmail: site.emails.privacy,
  minimumMacOS: site.minimumMacOS,
}

/** Puts the site's names into Markdown and leaves its code alone; throws on a name that it does not know. */
export function fillIn(markdown: string): string {
  return markdown.replace(/^```[\s\S]*?^```|`[^`\n]+`|\{(\w+)\}/gm, (match, name?: string) => {
    if (name === undefined) return match
    const value = values[name]
    if (value === undefined) throw new Error(`content: unknown name {${name}}`)
    return value
  })
}
