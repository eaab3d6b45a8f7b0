import { useAuth } from '@/features/session/use-auth'
import { useDraft } from '@/lib/use-draft'

/**
 * What the member of staff who is signed in has typed or opened, and its setter. It outlives the sign-in that the
 * server may want before it is sent (`SignInAgain`).
 */
export function useStaffDraft(key: string) {
  const { user } = useAuth()
  return useDraft(`${key}:${user?.id ?? ''}`)
}
