import type { Metadata } from 'next'
import { ProfileView } from '@/features/profile/profile-view'
import { MyTicketsCard } from '@/features/support/my-tickets-card'

export const metadata: Metadata = { title: 'Profile' }

export default function Page() {
  return (
    <ProfileView>
      <MyTicketsCard />
    </ProfileView>
  )
}
