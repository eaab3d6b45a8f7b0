import type { Metadata } from 'next'
import { LeaveScreen } from '@/features/closed-beta/leave-screen'

export const metadata: Metadata = { title: 'Leave the waitlist' }

export default function Page() {
  return <LeaveScreen />
}
