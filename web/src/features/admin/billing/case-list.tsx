import { Button } from '@/components/button'
import type { BillingCase, BillingCases } from '@/lib/api/types'
import { formatDateTime } from '@/lib/dates'
import { lookup } from '@/lib/lookup'
import { whole } from '@/lib/numbers'
import { titled } from '@/lib/words'
import { PersonLink } from '../people/person-link'
import { StateBadge } from '../people/state-badge'
import { useStaffDraft } from '../use-staff-draft'
import styles from './billing-view.module.css'
import { CaseDialog, type Choice, choices } from './case-dialog'

/** Why something of Stripe's cannot be applied, by the API's code. */
const reasons: Record<string, string> = {
  not_at_stripe: 'Stripe does not know it',
  unknown_customer: 'Its customer is nobody here',
  unknown_price: 'Its price sells no plan',
  odd_quantity: 'Its quantity is not 1',
  odd_invoice: 'Its lines contradict each other',
  odd_subscription: 'It has more than one item of ours, or no length',
  wrong_mode: 'Test and live are mixed up',
  no_subscription: 'It belongs to no single subscription',
  erased_account: 'It was paid after the account was deleted',
  fraud_warning: 'The issuer of the card suspects fraud',
  not_finalized: 'Stripe cannot finalize it, so nobody pays it',
  tax_stopped: 'Stripe has switched its taxes off',
  attempts_exceeded: 'It failed for three days',
}

/** What of Stripe's cannot be applied, with what can be decided about each. */
export function CaseList({ cases: { data, total } }: { cases: BillingCases }) {
  // Such as 'grant in_1 odd_invoice': the list may have another reason by the time of the decision.
  const [doing, setDoing] = useStaffDraft('billing-case')
  const [choice = '', object, seenReason = ''] = doing.split(' ')
  const chosen = data.find((one) => one.object === object)
  if (data.length === 0) return <p className={styles.quiet}>Nothing waits for you.</p>
  return (
    <>
      {total > data.length && (
        <p className={styles.quiet}>
          The oldest {whole(data.length)} of {whole(total)}
        </p>
      )}
      <ul role="list" aria-label="Cases">
        {data.map((one) => (
          <Case
            key={one.object}
            case={one}
            onChoose={(to) => setDoing(`${to} ${one.object} ${one.reason}`)}
          />
        ))}
      </ul>
      {chosen && choice in choices && (
        <CaseDialog
          case={chosen}
          choice={choice as Choice}
          seenReason={seenReason}
          onClose={() => setDoing('')}
        />
      )}
    </>
  )
}

interface CaseProps {
  case: BillingCase
  onChoose: (choice: Choice) => void
}

function Case({
  case: { object, reason, since, events, userId, userState, stripeUrl, grantable },
  onChoose,
}: CaseProps) {
  const possible: Record<Choice, boolean> = {
    retry: events > 0,
    grant: grantable,
    accept: true,
    ignore: true,
  }
  return (
    <li className={styles.case}>
      <div className={styles.words}>
        <p className={styles.name}>{lookup(reasons, reason) ?? titled(reason)}</p>
        <p className={styles.quiet}>
          {stripeUrl ? (
            <a href={stripeUrl} target="_blank" rel="noreferrer" className={styles.link}>
              {object}
            </a>
          ) : (
            object
          )}{' '}
          · since <time dateTime={since}>{formatDateTime(since)}</time>
          {userId && (
            <>
              {' · '}
              <PersonLink person={userId}>Person</PersonLink>
              {userState && (
                <>
                  {' '}
                  <StateBadge user={{ state: userState }} />
                </>
              )}
            </>
          )}
        </p>
      </div>
      <div className={styles.actions}>
        {Object.entries(choices)
          .filter(([name]) => possible[name as Choice])
          .map(([name, { label }]) => (
            <Button
              key={name}
              variant="secondary"
              size="dense"
              aria-label={`${label}: ${object}`}
              data-event={`${name}_case`}
              onClick={() => onChoose(name as Choice)}
            >
              {label}
            </Button>
          ))}
      </div>
    </li>
  )
}
