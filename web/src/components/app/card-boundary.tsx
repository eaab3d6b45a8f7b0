'use client'

import { type ReactNode, useState } from 'react'
import { Card } from './card'
import { NotShown, PartBoundary } from './part-boundary'

interface CardBoundaryProps {
  /** The accessible name of the card that replaces one that failed. */
  name: string
  children: ReactNode
}

/** An error boundary around a card; its fallback is a card with a retry button. */
export function CardBoundary({ name, children }: CardBoundaryProps) {
  const [tries, setTries] = useState(0)
  const fallback = (
    <Card aria-label={name}>
      <NotShown onRetry={() => setTries(tries + 1)} />
    </Card>
  )
  return (
    <PartBoundary key={tries} fallback={fallback}>
      {children}
    </PartBoundary>
  )
}
