import { useSetPersonRenewalMutation } from '@/lib/api/person-api'
import { ActionDialog } from './action-dialog'

interface RenewalDialogProps {
  userId: string
  /** Whether the plan renews now. */
  renews: boolean
  onClose: () => void
}

export const renewalLabel = (renews: boolean) => (renews ? 'Stop renewing' : 'Let the plan renew')

/** Lets the plan of a disabled account renew, or stops that again. */
export function RenewalDialog({ userId, renews, onClose }: RenewalDialogProps) {
  const [setRenewal] = useSetPersonRenewalMutation()
  return (
    <ActionDialog
      action={{
        title: renews ? 'Stop renewing the plan?' : 'Let the plan renew?',
        text: renews
          ? 'The plan ends with what is paid for, until the account is enabled.'
          : 'Stripe goes on charging for the plan although the account is disabled. What the owner has cancelled stays cancelled.',
        label: renewalLabel(renews),
        done: renews ? 'Renewal stopped' : 'Renewal allowed',
        event: renews ? 'stop_person_renewal' : 'allow_person_renewal',
        run: (reason) => setRenewal({ userId, renews: !renews, reason }).unwrap(),
      }}
      subject={userId}
      onClose={onClose}
    />
  )
}
