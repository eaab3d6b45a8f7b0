import { FreshSignIn } from './fresh-sign-in'
import { DeletionForm } from './deletion-form'
import type { Deletion as State } from './use-deletion'

interface DeletionProps {
  deletion: State
  onCancel: () => void
}

/** What deleting the account means, and the question; or the sign-in that has to come first. */
export function Deletion({ deletion, onCancel }: DeletionProps) {
  if (deletion.stale) return <FreshSignIn />
  return <DeletionForm deletion={deletion} onCancel={onCancel} />
}
