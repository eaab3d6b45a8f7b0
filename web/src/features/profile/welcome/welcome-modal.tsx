import { useState } from 'react'
import { Dialog, DialogBody } from '@/components/app/dialog'
import { lazyPart } from '@/components/app/lazy-part'
import { PartSkeleton } from '@/components/app/skeleton'
import type { Payment } from '../arrival'
import type { PaymentProgress } from '../billing/use-payment'

const Welcome = lazyPart(() => import('./welcome').then((m) => m.Welcome), {
  loading: () => <PartSkeleton height="20rem" />,
})

interface WelcomeModalProps {
  payment: Payment
  progress: PaymentProgress
  onClose: () => void
}

/** After a payment: what was bought, whether it is confirmed, and what comes next. */
export function WelcomeModal({ payment, progress, onClose }: WelcomeModalProps) {
  const [open, setOpen] = useState(true)
  return (
    <Dialog open={open} title={`Welcome to ${payment.plan}!`} onClose={onClose}>
      <DialogBody>
        <Welcome payment={payment} progress={progress} onDone={() => setOpen(false)} />
      </DialogBody>
    </Dialog>
  )
}
