import type { Metadata } from 'next'
import { SignInStarter } from '@/features/auth/sign-in-starter'

export const metadata: Metadata = { title: 'Sign in' }

export default function Page() {
  return <SignInStarter />
}
