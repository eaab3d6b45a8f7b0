import { island } from './island'
import { PageViews } from './page-views'

/** Page views on visitors' pages. */
export const PageViewsIsland = island('page-views', PageViews)
