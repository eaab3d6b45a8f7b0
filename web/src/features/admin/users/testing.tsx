import { screen, within } from '@testing-library/react'
import { useAuth } from '@/features/session/use-auth'
import type { AdminUser, AdminUserPage, Role } from '@/lib/api/types'
import { renderApp } from '@/testing/render'
import { onGet } from '@/testing/server'
import { aSession } from '@/testing/session'
import { UsersView } from './users-view'

export const emailOf = (n: number) => `person-${n}@fledge.test`

/** The account with number `n`. */
export function aUser(n: number, roles: Role[] = ['user']): AdminUser {
  return {
    id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    email: emailOf(n),
    provider: 'google',
    roles,
    created_at: '2025-08-27T12:00:00Z',
    last_sign_in_at: '2025-09-30T09:05:00Z',
    email_confirmed_at: '2025-08-27T12:00:00Z',
  }
}

/** Serves accounts as the API does: filtered, a page at a time; returns the queries asked. */
export function serve(users: () => readonly AdminUser[], pageSize = 100): string[] {
  const asked: string[] = []
  onGet('/api/get-users-with-roles', ({ url }): AdminUserPage => {
    asked.push(url.search)
    const role = url.searchParams.get('role')
    const search = (url.searchParams.get('search') ?? '').toLowerCase()
    const from = Number(url.searchParams.get('cursor') ?? 0)
    const found = users().filter(
      (user) =>
        (!role || user.roles.includes(role as Role)) && user.email.toLowerCase().includes(search),
    )
    const nextCursor = found.length > from + pageSize ? String(from + pageSize) : null
    return { data: found.slice(from, from + pageSize), nextCursor }
  })
  return asked
}

/** The dashboard shows the view only to a person who is known to be an admin. */
function Admin() {
  return useAuth().status === 'signed-in' ? <UsersView /> : null
}

export const renderView = () => renderApp(<Admin />, { session: aSession() })

/** The row of the account with number `n`, once it is there. */
export async function rowOf(n: number) {
  const row = (await screen.findByText(emailOf(n))).closest('[role=row]')
  return within(row as HTMLElement)
}
