'use client'

import { Menu } from '@chakra-ui/react'
import { useSupport } from './support-provider'

/** 'Support' in the account's menu. */
export function SupportMenuItem() {
  const open = useSupport()
  return (
    <Menu.Item value="support" onSelect={open}>
      Support
    </Menu.Item>
  )
}
