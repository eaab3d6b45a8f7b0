'use client'

import { useRouter } from 'next/navigation'
import { type ReactNode, useCallback } from 'react'
import { lazyView } from '@/components/app/lazy-part'
import { PageNotLoaded } from '@/components/app/not-loaded'
import { WaitingScreen } from '@/components/app/waiting-screen'
import { paths } from '@/config/paths'
import { Unreachable } from '@/features/session/unreachable'
import { useAuth } from '@/features/session/use-auth'
import { useSignedOut } from '@/features/session/use-signed-out'
import { expectSignedIn } from '@/lib/expect-signed-in'
import { useDialogs } from './use-dialogs'

const loading = () => <WaitingScreen text="Loading..." fill="calc(100dvh - 5rem)" />

/** Only people who are signed in load the content. */
const load = () => import('./profile-content').then((m) => m.ProfileContent)
const Content = lazyView(load, { loading, failed: PageNotLoaded })
expectSignedIn(load)

/** /profile: whoever is signed in; everybody else goes home. `children` are further cards. */
export function ProfileView({ children }: { children?: ReactNode }) {
  const { status, user } = useAuth()
  const router = useRouter()
  const dialogs = useDialogs(user !== null)
  useSignedOut(useCallback(() => router.replace(paths.home), [router]))

  if (status === 'unreachable') return <Unreachable within />
  if (!user) return loading()
  return (
    <Content email={user.email} dialogs={dialogs}>
      {children}
    </Content>
  )
}
