import type { ReactNode } from 'react'
import { PageViews } from './page-views'

/** What is in the body of every page. */
export function PageBody({ children }: { children: ReactNode }) {
  return (
    <>
      <a href="#main" className="skip-link">
        Skip to content
      </a>
      {children}
      <PageViews />
    </>
  )
}
