'use client'

import { ErrorScreen } from '@/components/error-screen'

export default function PageError({ error, reset }: { error: Error; reset: () => void }) {
  return <ErrorScreen error={error} onRetry={reset} />
}
