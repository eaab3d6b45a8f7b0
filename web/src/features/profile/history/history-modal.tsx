import { Dialog, DialogBody } from '@/components/app/dialog'
import { lazyPart } from '@/components/app/lazy-part'
import { PartSkeleton } from '@/components/app/skeleton'

const History = lazyPart(() => import('./history').then((m) => m.History), {
  loading: () => <PartSkeleton height="16rem" />,
})

/** Where the credits came from and went. */
export function HistoryModal({ onClose }: { onClose: () => void }) {
  return (
    <Dialog open title="Credit history" size="page" onClose={onClose}>
      <DialogBody>
        <History />
      </DialogBody>
    </Dialog>
  )
}
