'use client'

import { ErrorScreen } from '@/components/error-screen'
import { bricolage } from './fonts'
import '@/styles/tokens.css'
import '@/styles/fallback-fonts.css'
import '@/styles/base.css'

/** The fallback when the root layout fails. */
export default function GlobalError({ error, reset }: { error: Error; reset: () => void }) {
  return (
    <html lang="en" className={bricolage.variable}>
      <body>
        <ErrorScreen error={error} onRetry={reset} />
      </body>
    </html>
  )
}
