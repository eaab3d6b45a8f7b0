'use client'

import { AccountMenu } from '@/features/session/account-menu'
import { useSupport } from './support-provider'

/** The account's menu with 'Support' in it. */
export function SupportAccountMenu() {
  const open = useSupport()
  return <AccountMenu entries={[{ value: 'support', label: 'Support', onSelect: open }]} />
}
