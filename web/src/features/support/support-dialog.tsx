import { useState } from 'react'
import { Dialog, DialogBody } from '@/components/app/dialog'
import { lazyView } from '@/components/app/lazy-part'
import { PartSkeleton } from '@/components/app/skeleton'
import type { Ticket } from '@/lib/api/types'

const SupportContent = lazyView(() => import('./support-content').then((m) => m.SupportContent), {
  loading: () => <PartSkeleton height="24rem" />,
})

interface SupportDialogProps {
  person: { id: string; email: string }
  open: boolean
  onClose: () => void
  onSignIn: () => void
}

/** Asks the team something. Closing keeps what was typed; a filed ticket shows its number. */
export function SupportDialog({ person, open, onClose, onSignIn }: SupportDialogProps) {
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
        <SupportContent
          person={person}
          filed={filed}
          onFiled={setFiled}
          onDone={closed}
          onSignIn={onSignIn}
        />
      </DialogBody>
    </Dialog>
  )
}
