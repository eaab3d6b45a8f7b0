/** Zero-width characters and marks of direction, which come with text that was copied from formatted pages. */
const invisible = /[\u200b\u202a-\u202e\u2060\ufeff]/g

/** An email address as it is typed or pasted, without the invisible characters that no address may have. */
export function visibleAddress(typed: string): string {
  return typed.replaceAll(invisible, '')
}
