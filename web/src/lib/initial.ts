/**
 * The letter of an avatar: the first of the address, or U where it begins with something else. The hint
 * cookie (gateway/internal/identity/hint.go) has the same.
 */
export function initialOf(email: string): string {
  return /^[a-z0-9]/i.exec(email)?.[0].toUpperCase() ?? 'U'
}
