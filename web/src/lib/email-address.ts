/** An email address as it is typed or pasted, without the invisible characters that no address may have. */
export function visibleAddress(typed: string): string {
  // Zero-width characters, soft hyphens and marks of direction come with text from formatted pages.
  return typed.replaceAll(/\p{Cf}/gu, '')
}
