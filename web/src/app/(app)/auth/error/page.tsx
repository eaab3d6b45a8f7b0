import type { Metadata } from 'next'
import { AuthErrorScreen } from '@/features/auth/auth-error-screen'

export const metadata: Metadata = { title: 'Sign-in error' }

export default function Page() {
  return <AuthErrorScreen />
}
