import { Dialog, DialogBody } from '@/components/app/dialog'
import { lazyPart } from '@/components/app/lazy-part'
import { PartSkeleton } from '@/components/app/skeleton'

const Plans = lazyPart(() => import('./plans').then((m) => m.Plans), {
  loading: () => <PartSkeleton height="24rem" />,
})

/** 'Choose your plan': the plans side by side. */
export function PlanModal({ onClose }: { onClose: () => void }) {
  return (
    <Dialog
      open
      title="Choose your plan"
      description="Credits renew every month. Change or cancel whenever you like."
      size="wide"
      onClose={onClose}
    >
      <DialogBody>
        <Plans />
      </DialogBody>
    </Dialog>
  )
}
