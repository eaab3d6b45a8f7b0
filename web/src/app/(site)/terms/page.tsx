import type { Metadata } from 'next'
import { LegalDocument } from '@/features/legal/legal-document'

export const metadata: Metadata = {
  title: 'Terms and Conditions',
  alternates: { canonical: '/terms' },
}

export default function TermsPage() {
  return <LegalDocument document="terms" title="Terms and Conditions" />
}
