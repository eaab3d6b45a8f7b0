/** An email address as it is typed or pasted, without invisible characters but the joiners that domains may have. */
export function visibleAddress(typed: string): string {
  // Zero-width characters, soft hyphens and marks of direction come with text from formatted pages.
  return typed.replaceAll(/(?![\u200c\u200d])\p{Cf}/gu, '')
}
