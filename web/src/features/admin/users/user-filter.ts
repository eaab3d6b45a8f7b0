import type { UserFilter } from '@/lib/api/identity-api'
import type { AdminUser, Role } from '@/lib/api/types'
import { filterPages } from '../filter-pages'

/** All roles, the one with the most rights first. */
export const roles: readonly Role[] = ['admin', 'moderator', 'user']

/** Filters the loaded rows without waiting for the server. */
export function filterUsers(
  pages: readonly AdminUser[][],
  { role, search }: UserFilter,
): AdminUser[][] {
  const text = search.trim().toLowerCase()
  return filterPages(
    pages,
    (user) => (!role || user.roles.includes(role)) && user.email.toLowerCase().includes(text),
  )
}
