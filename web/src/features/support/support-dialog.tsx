import { useState } from 'react'
import { Dialog, DialogBody } from '@/components/app/dialog'
import { lazyPart } from '@/components/app/lazy-part'
import { PartSkeleton } from '@/components/app/skeleton'
import type { Ticket } from '@/lib/api/types'

const SupportContent = lazyPart(() => import('./support-content').then((m) => m.SupportContent), {
  loading: () => <PartSkeleton height="24rem" />,
})

interface SupportDialogProps {
  email: string
  open: boolean
  onClose: () => void
}

/** Asks the team something. Closing keeps what was typed; a filed ticket shows its number. */
export function SupportDialog({ email, open, onClose }: SupportDialogProps) {
  const [filed, setFiled] = useState<Ticket | null>(null)

  const closed = () => {
    setFiled(null)
    onClose()
  }
  return (
    <Dialog
      open={open}
      title="Support"
      description={
        filed ? undefined : 'Tell us what you need. A person on our team reads every message.'
      }
      onClose={closed}
    >
      <DialogBody>
        <SupportContent email={email} filed={filed} onFiled={setFiled} onDone={closed} />
      </DialogBody>
    </Dialog>
  )
}
