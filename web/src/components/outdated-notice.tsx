import { InlineScript } from '@/inline/inline-script'
import { NOTICE, revealNotice } from '@/inline/outdated-browser'

/** A sentence for a browser that is too old for the page, hidden in all others: the first of the body. */
export function OutdatedNotice() {
  return (
    <>
      {/* The script may change it before React takes the page over. */}
      <p id={NOTICE} className="outdated-notice" role="alert" hidden suppressHydrationWarning>
        This browser is too old for this page. Please use Safari 15.6 or later, or a current Chrome,
        Edge or Firefox.
      </p>
      <InlineScript name="outdated-browser" run={revealNotice} />
    </>
  )
}
