'use client'

import dynamic from 'next/dynamic'
import { Avatar } from '@/components/app/avatar'
import { useAuth } from './use-auth'

/** What a page adds to the menu. */
export interface MenuEntry {
  value: string
  label: string
  onSelect: () => void
}

/** The menu's engine is loaded once somebody is signed in; until then the avatar holds its place. */
const Loaded = dynamic(() => import('./account-menu-loaded').then((m) => m.AccountMenuLoaded), {
  ssr: false,
  loading: () => <Avatar email="" aria-label="Account menu" disabled />,
})

/** The avatar with its menu, into which pages may put `entries`; nothing while signed out. */
export function AccountMenu({ entries }: { entries?: readonly MenuEntry[] }) {
  const { user } = useAuth()
  return user ? <Loaded email={user.email} entries={entries} /> : null
}
