import type { Metadata } from 'next'
import { UpgradeScreen } from '@/features/auth/upgrade-screen'

export const metadata: Metadata = { title: 'Upgrade' }

export default function Page() {
  return <UpgradeScreen />
}
