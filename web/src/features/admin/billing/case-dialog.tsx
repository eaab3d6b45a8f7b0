import { useDecideBillingCaseMutation } from '@/lib/api/finance-api'
import type { BillingCase, CaseDecision } from '@/lib/api/types'
import { ActionDialog } from '../people/action-dialog'
import { CreditsField } from '../people/credits-field'
import { creditsOf } from '../people/typed-credits'
import { useStaffDraft } from '../use-staff-draft'

export type Choice = CaseDecision['decision']

interface Words {
  /** What the button says. */
  label: string
  title: string
  text: string
  done: string
}

/** What can be decided about a case. */
export const choices: Record<Choice, Words> = {
  retry: {
    label: 'Try again',
    title: 'Try again?',
    text: 'Its events are applied again. Do that when the cause is gone.',
    done: 'It is tried again',
  },
  grant: {
    label: 'Give credits',
    title: 'Give credits for it?',
    text: 'The person gets them now and can spend them for 90 days. The case is closed for good.',
    done: 'Credits given',
  },
  accept: {
    label: 'Accept',
    title: 'Accept it as it is?',
    text: 'It was settled otherwise, such as by a refund. The case is closed for good.',
    done: 'Accepted',
  },
  ignore: {
    label: 'Ignore',
    title: 'Ignore it?',
    text: 'It is nothing that we have sold. The case is closed for good.',
    done: 'Ignored',
  },
}

interface CaseDialogProps {
  case: BillingCase
  choice: Choice
  /** Why it cannot be applied, as it was shown when the choice was made. */
  seenReason: string
  onClose: () => void
}

/** Asks for the reason of a decision, and for the credits that it gives. */
export function CaseDialog({ case: { object }, choice, seenReason, onClose }: CaseDialogProps) {
  const [text, setText] = useStaffDraft(`case-credits:${object}`)
  const [decide] = useDecideBillingCaseMutation()
  const grants = choice === 'grant'
  const amount = creditsOf(text)
  const given = amount !== null && amount > 0 ? amount : null
  const { title, text: consequence, label, done } = choices[choice]
  return (
    <ActionDialog
      action={{
        title,
        text: `${object}: ${consequence}`,
        label,
        done,
        event: `${choice}_case`,
        run: (reason) =>
          decide({
            object,
            decision: choice,
            reason,
            seenReason,
            ...(grants && given !== null && { amount: given }),
          }).unwrap(),
      }}
      subject={object}
      ready={!grants || given !== null}
      onClose={() => {
        setText('')
        onClose()
      }}
    >
      {(running) =>
        grants && (
          <CreditsField
            hint="Such as 50.00; at most 10,000."
            value={text}
            wrong={given === null}
            waiting={running}
            onType={setText}
          />
        )
      }
    </ActionDialog>
  )
}
