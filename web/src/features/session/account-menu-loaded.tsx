'use client'

import { Box, Menu, useMenuContext } from '@chakra-ui/react'
import Link from 'next/link'
import { usePathname, useRouter } from 'next/navigation'
import { type ComponentProps, useRef } from 'react'
import { Avatar } from '@/components/app/avatar'
import { paths } from '@/config/paths'
import { useGetStaffRoleQuery } from '@/lib/api/staff-role-api'
import type { MenuEntry } from './account-menu'
import { useSession } from './session-provider'

interface AccountMenuLoadedProps {
  email: string
  /** Rendered here, not by the page: an entry that is added later would move the others under the pointer. */
  entries?: readonly MenuEntry[]
}

/** Open: 'Signed in as', the address, and signing out, which leads home. */
export function AccountMenuLoaded({ email, entries = [] }: AccountMenuLoadedProps) {
  const session = useSession()
  const router = useRouter()
  const path = usePathname()
  const onProfile = path === paths.profile
  const button = useRef<HTMLButtonElement>(null)

  const signOut = async () => {
    try {
      await session.signOut()
      // Replaces the history entry: 'back' must not lead to a page of the ended session.
      router.replace(paths.home)
    } catch (error) {
      console.error('Sign-out failed', error)
    }
  }

  return (
    <Menu.Root defaultOpen positioning={{ placement: 'bottom-end' }}>
      <Menu.Trigger asChild>
        <Avatar ref={button} email={email} aria-label="Account menu" data-event="account_menu" />
      </Menu.Trigger>
      <Menu.Positioner>
        <Content onFocusWhileClosed={() => button.current?.focus()}>
          <Menu.ItemGroup>
            <Menu.ItemGroupLabel>
              Signed in as
              <Box color="ink" fontSize="sm" fontWeight={600} overflowWrap="anywhere">
                {email}
              </Box>
            </Menu.ItemGroupLabel>
            <Menu.Separator />
            {!onProfile && (
              <Menu.Item value="profile" asChild data-event="menu_profile">
                <Link href={paths.profile}>Profile</Link>
              </Menu.Item>
            )}
            {entries.map(({ value, label, onSelect }) => (
              <Menu.Item key={value} value={value} data-event={`menu_${value}`} onSelect={onSelect}>
                {label}
              </Menu.Item>
            ))}
            <Menu.Item value="sign-out" data-event="sign_out" onSelect={signOut}>
              Sign out
            </Menu.Item>
            {path !== paths.admin && <AdminItem />}
          </Menu.ItemGroup>
        </Content>
      </Menu.Positioner>
    </Menu.Root>
  )
}

interface ContentProps extends ComponentProps<typeof Menu.Content> {
  onFocusWhileClosed: () => void
}

/**
 * Zag focuses the menu a frame after a key that moves in it, even if Escape has closed it within that frame and has
 * given the focus to the button. The focus would be lost with the menu then.
 */
function Content({ onFocusWhileClosed, ...props }: ContentProps) {
  const { open } = useMenuContext()
  return <Menu.Content {...props} onFocus={open ? undefined : onFocusWhileClosed} />
}

/**
 * The way to the staff's tools. Whether there is one is asked when the menu is first opened, and only for it;
 * it comes last, so that no other entry moves under the pointer.
 */
function AdminItem() {
  const { data: role } = useGetStaffRoleQuery()
  if (!role) return null
  return (
    <Menu.Item value="admin" asChild data-event="menu_admin">
      <Link href={paths.admin}>Admin</Link>
    </Menu.Item>
  )
}
