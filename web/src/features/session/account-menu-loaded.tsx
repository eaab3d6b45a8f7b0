'use client'

import { Box, Menu } from '@chakra-ui/react'
import Link from 'next/link'
import { usePathname, useRouter } from 'next/navigation'
import type { ReactNode } from 'react'
import { Avatar } from '@/components/app/avatar'
import { paths } from '@/config/paths'
import { useSession } from './session-provider'

/** 'Signed in as', the address, and signing out, which leads home. */
export function AccountMenuLoaded({ email, items }: { email: string; items?: ReactNode }) {
  const session = useSession()
  const router = useRouter()
  const onProfile = usePathname() === paths.profile

  const signOut = async () => {
    try {
      await session.signOut()
      router.push(paths.home)
    } catch (error) {
      console.error('Sign-out failed', error)
    }
  }

  return (
    <Menu.Root positioning={{ placement: 'bottom-end' }}>
      <Menu.Trigger asChild>
        <Avatar email={email} aria-label="Account menu" />
      </Menu.Trigger>
      <Menu.Positioner>
        <Menu.Content>
          <Menu.ItemGroup>
            <Menu.ItemGroupLabel>
              Signed in as
              <Box color="ink" fontSize="sm" fontWeight={600} overflowWrap="anywhere">
                {email}
              </Box>
            </Menu.ItemGroupLabel>
            <Menu.Separator />
            {!onProfile && (
              <Menu.Item value="profile" asChild>
                <Link href={paths.profile}>Profile</Link>
              </Menu.Item>
            )}
            {items}
            <Menu.Item value="sign-out" onSelect={signOut}>
              Sign out
            </Menu.Item>
          </Menu.ItemGroup>
        </Menu.Content>
      </Menu.Positioner>
    </Menu.Root>
  )
}
