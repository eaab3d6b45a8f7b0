'use client'

import dynamic from 'next/dynamic'
import type { ReactNode } from 'react'
import { Avatar } from '@/components/app/avatar'
import { useAuth } from './use-auth'

/** The menu's engine is loaded once somebody is signed in; until then the avatar holds its place. */
const Loaded = dynamic(() => import('./account-menu-loaded').then((m) => m.AccountMenuLoaded), {
  ssr: false,
  loading: () => <Avatar email="" aria-label="Account menu" disabled />,
})

/** The avatar with its menu, into which pages may put `items`; nothing while signed out. */
export function AccountMenu({ items }: { items?: ReactNode }) {
  const { user } = useAuth()
  return user ? <Loaded email={user.email} items={items} /> : null
}
