import type { ReactNode } from 'react'
import { VisitorsPage } from '@/components/visitors-page'
import '@/styles/code.css'

/** Pages for visitors: static documents with islands, which ship without Next's run-time (scripts/visitors.mjs). */
export default function SiteLayout({ children }: { children: ReactNode }) {
  return <VisitorsPage>{children}</VisitorsPage>
}
