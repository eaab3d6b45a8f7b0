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

/** The menu is lazy-loaded: prefetched when the avatar is hovered or focused, and rendered when it opens. */
const load = () => import('./account-menu-loaded').then((m) => m.AccountMenuLoaded)
const Loaded = lazyPart(load, { loading: Awaited, failed: Failed })

const prefetch = () => void load().catch(() => {})
const opening = new Set(['ArrowDown', 'ArrowUp'])

/** The avatar with its menu, into which pages may put `entries`; nothing while signed out. */
export function AccountMenu({ entries }: { entries?: readonly MenuEntry[] }) {
  const { user } = useAuth()
  const [requested, setRequested] = useState(false)

  if (!user) return null
  if (requested) return <Loaded email={user.email} entries={entries} />
  return (
    <Trigger
      email={user.email}
      onPointerEnter={prefetch}
      onFocus={prefetch}
      onClick={() => setRequested(true)}
      onKeyDown={({ key }) => opening.has(key) && setRequested(true)}
    />
  )
}

/** The placeholder while the menu loads. */
function Awaited() {
  const { user } = useAuth()
  return <Trigger email={user?.email ?? ''} />
}

/** The fallback when the menu cannot be loaded: a link to the profile, which retries loading it. */
function Failed({ email }: { email: string }) {
  const link = useRef<HTMLAnchorElement>(null)
  // The focused button was replaced.
  useEffect(() => link.current?.focus(), [])
  return <AvatarLink ref={link} email={email} href={paths.profile} aria-label="Profile" />
}

/** The same button as the menu's own. */
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
