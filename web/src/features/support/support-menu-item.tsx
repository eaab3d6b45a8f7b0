'use client'

import dynamic from 'next/dynamic'

/** 'Support' in the account's menu, loaded with the menu. */
export const SupportMenuItem = dynamic(
  () => import('./support-menu-item-loaded').then((m) => m.SupportMenuItemLoaded),
  { ssr: false },
)
