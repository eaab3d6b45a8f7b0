import { Dialog, DialogBody } from '@/components/app/dialog'
import { lazyView } from '@/components/app/lazy-part'
import { PartSkeleton } from '@/components/app/skeleton'
import { useDeletion } from './use-deletion'

const Deletion = lazyView(() => import('./deletion').then((m) => m.Deletion), {
  loading: () => <PartSkeleton height="24rem" />,
})

interface DeletionModalProps {
  email: string
  onClose: () => void
}

/** Asks before the account is deleted. */
export function DeletionModal({ email, onClose }: DeletionModalProps) {
  const deletion = useDeletion()
  return (
    <Dialog
      open
      title="Delete your account?"
      description={
        <>
          This is the account of{' '}
          <strong>
            <bdi dir="ltr">{email}</bdi>
          </strong>
          .
        </>
      }
      busy={deletion.busy}
      onClose={onClose}
    >
      <DialogBody>
        <Deletion deletion={deletion} onCancel={onClose} />
      </DialogBody>
    </Dialog>
  )
}
