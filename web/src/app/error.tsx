'use client'

import { ErrorScreen } from '@/components/error-screen'

export default function PageError({ error }: { error: Error }) {
  return <ErrorScreen error={error} />
}
