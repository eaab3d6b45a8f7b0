import type { Metadata } from 'next'
import { ClosedBetaView } from '@/features/closed-beta/closed-beta-view'

export const metadata: Metadata = { title: 'Closed Beta' }

export default function Page() {
  return <ClosedBetaView />
}
