import { Dialog, DialogBody } from '@/components/app/dialog'
import { lazyPart } from '@/components/app/lazy-part'
import { PlansSkeleton } from './plans-skeleton'

const Plans = lazyPart(() => import('./plans').then((m) => m.Plans), {
  loading: () => <PlansSkeleton />,
})

/** 'Choose your plan': the plans side by side. */
export function PlanModal({ onClose }: { onClose: () => void }) {
  return (
    <Dialog
      open
      title="Choose your plan"
      description="Credits renew with each payment. Change or cancel whenever you like."
      size="wide"
      onClose={onClose}
    >
      <DialogBody>
        <Plans />
      </DialogBody>
    </Dialog>
  )
}
