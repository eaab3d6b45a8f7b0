'use client'

import { Card } from '@/components/app/card'
import { lazyView } from '@/components/app/lazy-part'
import { NotLoaded } from '@/components/app/not-loaded'

/** The card is loaded beside the rest of the profile. */
export const MyTicketsCard = lazyView(() => import('./my-tickets').then((m) => m.MyTickets), {
  loading: () => <div style={{ minHeight: '12rem' }} aria-hidden />,
  failed: Failed,
})

function Failed() {
  return (
    <Card id="my-tickets" aria-label="My tickets">
      <NotLoaded />
    </Card>
  )
}
