'use client'

import { type ReactNode, useState } from 'react'
import { Card } from './card'
import { NotShown, Part } from './part'

interface CardPartProps {
  /** What the card is called while it cannot be shown. */
  name: string
  children: ReactNode
}

/** Around a card: if it fails to render, a card in its place says so, and the page goes on. */
export function CardPart({ name, children }: CardPartProps) {
  const [tries, setTries] = useState(0)
  const fallback = (
    <Card aria-label={name}>
      <NotShown onRetry={() => setTries(tries + 1)} />
    </Card>
  )
  return (
    <Part key={tries} fallback={fallback}>
      {children}
    </Part>
  )
}
