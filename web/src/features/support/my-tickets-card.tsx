'use client'

import dynamic from 'next/dynamic'

/** The card is loaded beside the rest of the profile. */
export const MyTicketsCard = dynamic(() => import('./my-tickets').then((m) => m.MyTickets), {
  ssr: false,
  loading: () => <div style={{ minHeight: '12rem' }} aria-hidden />,
})
