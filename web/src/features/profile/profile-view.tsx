'use client'

import dynamic from 'next/dynamic'
import { useRouter } from 'next/navigation'
import { useEffect } from 'react'
import { WaitingScreen } from '@/components/app/waiting-screen'
import { paths } from '@/config/paths'
import { useAuth } from '@/features/session/use-auth'
import { useCleanAddress } from './use-clean-address'

const loading = () => <WaitingScreen text="Loading..." fill="calc(100dvh - 5rem)" />

/** Only people who are signed in load the content. */
const Content = dynamic(() => import('./profile-content').then((m) => m.ProfileContent), {
  loading,
})

/** /profile: whoever is signed in; everybody else goes home. */
export function ProfileView() {
  const { status, user } = useAuth()
  const router = useRouter()
  useCleanAddress()

  useEffect(() => {
    if (status === 'signed-out') router.replace(paths.home)
  }, [status, router])

  return user ? <Content email={user.email} /> : loading()
}
