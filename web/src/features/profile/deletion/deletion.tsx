import { paths } from '@/config/paths'
import { FreshSignIn } from './fresh-sign-in'
import { DeletionForm } from './deletion-form'
import type { Deletion as State } from './use-deletion'

interface DeletionProps {
  deletion: State
  onCancel: () => void
}

/** What deleting the account means, and the question; or the sign-in that has to come first. */
export function Deletion({ deletion, onCancel }: DeletionProps) {
  if (deletion.stale) {
    return (
      <FreshSignIn returnTo={paths.deleteAccount}>
        An account can be deleted for 15 minutes after signing in, so that nobody else can do it at
        your desk. You come back to this question.
      </FreshSignIn>
    )
  }
  return <DeletionForm deletion={deletion} onCancel={onCancel} />
}
