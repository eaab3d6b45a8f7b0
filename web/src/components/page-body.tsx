import type { ReactNode } from 'react'
import { OutdatedNotice } from './outdated-notice'

/** What is in the body of every page. */
export function PageBody({ children }: { children: ReactNode }) {
  return (
    <>
      <OutdatedNotice />
      <a href="#main" className="skip-link">
        Skip to content
      </a>
      <div id="not-loaded" className="not-loaded" role="alert" hidden>
        This page could not be loaded completely.{' '}
        <button type="button" data-event="reload_page">
          Reload the page
        </button>
      </div>
      {children}
    </>
  )
}
