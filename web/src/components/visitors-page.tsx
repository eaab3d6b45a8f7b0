import type { ReactNode } from 'react'
import { InlineScript } from '@/inline/inline-script'
import { keepClicks } from '@/inline/keep-clicks'
import { keepSubmits } from '@/inline/keep-submits'
import { loadIslands } from '@/inline/load-islands'
import { island } from './island'
import { PageViews } from './page-views'

const PageViewsIsland = island('page-views', PageViews)

/** What every visitors' page has: the scripts of its islands, and page views. */
export function VisitorsPage({ children }: { children: ReactNode }) {
  return (
    <>
      <InlineScript name="keep-clicks" run={keepClicks} />
      <InlineScript name="keep-submits" run={keepSubmits} />
      <InlineScript name="load-islands" run={loadIslands} />
      {children}
      <PageViewsIsland />
    </>
  )
}
