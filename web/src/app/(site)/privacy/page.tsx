import type { Metadata } from 'next'
import { LegalDocument } from '@/features/legal/legal-document'

export const metadata: Metadata = { title: 'Privacy Policy', alternates: { canonical: '/privacy' } }

export default function PrivacyPage() {
  return <LegalDocument document="privacy" title="Privacy Policy" />
}
