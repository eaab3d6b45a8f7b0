import type { Metadata } from 'next'
import { ConfirmScreen } from '@/features/closed-beta/confirm-screen'

export const metadata: Metadata = { title: 'Confirm your email address' }

export default function Page() {
  return <ConfirmScreen />
}
