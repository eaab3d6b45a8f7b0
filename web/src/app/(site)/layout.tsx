import type { ReactNode } from 'react'
import { PageViewsIsland } from '@/components/page-views-island'
import { InlineScript } from '@/inline/inline-script'
import { keepSubmits } from '@/inline/keep-submits'
import '@/styles/code.css'

/** Pages for visitors: static documents with islands, which ship without Next's run-time (scripts/visitors.mjs). */
export default function SiteLayout({ children }: { children: ReactNode }) {
  return (
    <>
      <InlineScript name="keep-submits" run={keepSubmits} />
      {children}
      <PageViewsIsland />
    </>
  )
}
