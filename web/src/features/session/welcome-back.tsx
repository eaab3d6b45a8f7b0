import { useEffect } from 'react'
import { toastSuccess } from '@/components/app/toast'
import { deletionNotice } from './deletion-notice'
import { useSession } from './session-provider'

/** Tells a person that signing in has taken back the deletion of their account. */
export function WelcomeBack() {
  const session = useSession()

  useEffect(
    () =>
      session.subscribe((event, current) => {
        if (current) deletionNotice.remove()
        // The page that a sign-in comes back to shows no toasts: the next one does.
        if (event !== 'deletion_taken_back') return
        toastSuccess('Welcome back. Your account is no longer going to be deleted.')
      }),
    [session],
  )

  return null
}
