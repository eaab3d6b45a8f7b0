import { type ComponentProps, useState } from 'react'
import { Dialog, DialogBody } from '@/components/app/dialog'
import { PartBoundary } from '@/components/app/part-boundary'
import { Button } from '@/components/button'
import type { MailFilter } from '@/lib/api/mail-api'
import { type Question, QuestionDialog } from '../question'
import { useStaffDraft } from '../use-staff-draft'
import { Mails } from './mails'

interface MailsButtonProps extends Pick<ComponentProps<typeof Button>, 'variant' | 'size'> {
  service: MailFilter['service']
}

/** Opens what became of the emails of a service. */
export function MailsButton({ service, ...look }: MailsButtonProps) {
  const [draft, setDraft] = useStaffDraft(`mails:${service}`)
  const open = draft !== ''
  const setOpen = (on: boolean) => setDraft(on ? 'open' : '')
  const [question, setQuestion] = useState<Question | null>(null)
  return (
    <>
      <Button {...look} data-event="show_mails" onClick={() => setOpen(true)}>
        Emails
      </Button>
      <Dialog
        open={open}
        size="wide"
        title="Emails"
        description="Sent emails are listed for a day, those that failed for 30 days."
        onClose={() => setOpen(false)}
      >
        <DialogBody>
          <PartBoundary>{open && <Mails service={service} onAsk={setQuestion} />}</PartBoundary>
        </DialogBody>
      </Dialog>
      <QuestionDialog question={question} onClose={() => setQuestion(null)} />
    </>
  )
}
