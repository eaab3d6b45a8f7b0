import { useAdjustCreditsMutation } from '@/lib/api/person-api'
import { useIdempotencyKey } from '@/lib/use-idempotency-key'
import { useStaffDraft, useStaffDraftName } from '../use-staff-draft'
import { ActionDialog } from './action-dialog'
import { CreditsField } from './credits-field'
import { creditsOf } from './typed-credits'

/** Gives credits to somebody, or takes some. */
export function CreditsDialog({ userId, onClose }: { userId: string; onClose: () => void }) {
  const [text, setText] = useStaffDraft(`credits:${userId}`)
  const idempotency = useIdempotencyKey(useStaffDraftName(`credits:${userId}`))
  const [adjust] = useAdjustCreditsMutation()
  const amount = creditsOf(text)
  return (
    <ActionDialog
      action={{
        title: 'Adjust credits',
        text: 'What you give can be spent for 90 days. What you take is of what ends first, and never more than there is.',
        label: 'Adjust credits',
        done: 'Credits adjusted',
        event: 'adjust_credits',
        run: (reason) =>
          adjust({
            userId,
            amount: amount ?? 0,
            reason,
            idempotencyKey: idempotency.keyFor(String(amount)),
          }).unwrap(),
      }}
      subject={userId}
      ready={amount !== null}
      onClose={() => {
        setText('')
        idempotency.accepted()
        onClose()
      }}
    >
      {(running) => (
        <CreditsField
          hint="Such as 5.00, or -2.50 to take; at most 10,000."
          value={text}
          wrong={amount === null}
          waiting={running}
          onType={setText}
        />
      )}
    </ActionDialog>
  )
}
