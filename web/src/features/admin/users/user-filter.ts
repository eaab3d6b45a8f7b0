import type { UserFilter } from '@/lib/api/identity-api'
import type { AdminUser, Role } from '@/lib/api/types'
import { narrowPages } from '../narrow-pages'

/** The roles there are, the one with the most rights first. */
export const roles: readonly Role[] = ['admin', 'moderator', 'user']

/** The rows at hand that match; pages that have none are left out. */
export function narrow(pages: readonly AdminUser[][], { role, search }: UserFilter): AdminUser[][] {
  const text = search.trim().toLowerCase()
  return narrowPages(
    pages,
    (user) => (!role || user.roles.includes(role)) && user.email.toLowerCase().includes(text),
  )
}
