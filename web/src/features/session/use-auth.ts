import { type AuthState, selectAuth } from '@/store/auth-slice'
import { useAppSelector } from '@/store/hooks'

/** Who is using the site: loading, signed out, or signed in with the user. */
export function useAuth(): AuthState {
  return useAppSelector(selectAuth)
}
