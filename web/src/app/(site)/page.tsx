import type { Metadata } from 'next'
import { Landing } from '@/features/landing/landing'

export const metadata: Metadata = { alternates: { canonical: '/' } }

export default function LandingPage() {
  return <Landing />
}
