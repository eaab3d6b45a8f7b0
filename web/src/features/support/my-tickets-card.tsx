'use client'

import dynamic from 'next/dynamic'
import { Card } from '@/components/app/card'

/** The card is loaded beside the rest of the profile. */
export const MyTicketsCard = dynamic(() => import('./my-tickets').then((m) => m.MyTickets), {
  ssr: false,
  loading: () => <Card minH="12rem" aria-hidden />,
})
