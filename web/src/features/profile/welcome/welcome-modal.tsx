import { useState } from 'react'
import { Dialog, DialogBody } from '@/components/app/dialog'
import { lazyPart } from '@/components/app/lazy-part'
import { PartSkeleton } from '@/components/app/skeleton'
import type { Payment } from '../arrival'

const Welcome = lazyPart(() => import('./welcome').then((m) => m.Welcome), {
  loading: () => <PartSkeleton height="20rem" />,
})

/** After a payment: what was bought, and what comes next. */
export function WelcomeModal({ payment, onClose }: { payment: Payment; onClose: () => void }) {
  const [open, setOpen] = useState(true)
  return (
    <Dialog open={open} title={`Welcome to ${payment.plan}!`} onClose={onClose}>
      <DialogBody>
        <Welcome payment={payment} onDone={() => setOpen(false)} />
      </DialogBody>
    </Dialog>
  )
}
