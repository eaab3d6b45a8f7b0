'use client'

import { type ComponentProps, useEffect, useRef, useState } from 'react'
import { Avatar, AvatarLink } from '@/components/app/avatar'
import { lazyPart } from '@/components/app/lazy-part'
import { paths } from '@/config/paths'
import { useAuth } from './use-auth'

/** What a page adds to the menu. */
export interface MenuEntry {
  value: string
  label: string
  onSelect: () => void
}

/** The menu's engine is prefetched when the avatar is pointed at or focused, and starts when the menu opens. */
const load = () => import('./account-menu-loaded').then((m) => m.AccountMenuLoaded)
const Loaded = lazyPart(load, { loading: Awaited, failed: Failed })

const prefetch = () => void load().catch(() => {})
const opening = new Set(['ArrowDown', 'ArrowUp'])

/** The avatar with its menu, into which pages may put `entries`; nothing while signed out. */
export function AccountMenu({ entries }: { entries?: readonly MenuEntry[] }) {
  const { user } = useAuth()
  const [asked, setAsked] = useState(false)

  if (!user) return null
  if (asked) return <Loaded email={user.email} entries={entries} />
  return (
    <Trigger
      email={user.email}
      onPointerEnter={prefetch}
      onFocus={prefetch}
      onClick={() => setAsked(true)}
      onKeyDown={({ key }) => opening.has(key) && setAsked(true)}
    />
  )
}

/** Holds the place of the menu while it is on its way. */
function Awaited() {
  const { user } = useAuth()
  return <Trigger email={user?.email ?? ''} />
}

/** Without the menu there is still the profile, which also tries again to load it. */
function Failed({ email }: { email: string }) {
  const link = useRef<HTMLAnchorElement>(null)
  // The button that was pressed has gone.
  useEffect(() => link.current?.focus(), [])
  return <AvatarLink ref={link} email={email} href={paths.profile} aria-label="Profile" />
}

/** Looks as the menu's own button does. */
function Trigger(props: ComponentProps<typeof Avatar>) {
  return (
    <Avatar
      aria-label="Account menu"
      aria-haspopup="menu"
      aria-expanded={false}
      data-event="account_menu"
      {...props}
    />
  )
}
