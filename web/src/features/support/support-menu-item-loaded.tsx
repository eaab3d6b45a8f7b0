import { Menu } from '@chakra-ui/react'
import { useSupport } from './support-provider'

export function SupportMenuItemLoaded() {
  const open = useSupport()
  return (
    <Menu.Item value="support" onSelect={open}>
      Support
    </Menu.Item>
  )
}
