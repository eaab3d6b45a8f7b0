import { useRef } from 'react'
import { LoadMore } from '@/components/app/load-more'
import { Button, buttonClass } from '@/components/button'
import { useGetPersonBillingInfiniteQuery } from '@/lib/api/person-api'
import { formatChange, kindText } from '@/lib/credit-entries'
import type { CreditEntry, PersonBilling, Subscription } from '@/lib/api/types'
import { formatBillingDay, formatDateTime } from '@/lib/dates'
import { moneyText, twoDecimals } from '@/lib/numbers'
import { spaced } from '@/lib/words'
import { Fact } from '../facts'
import { useStaffDraft } from '../use-staff-draft'
import { CreditsDialog } from './credits-dialog'
import { PartCard } from './part-card'
import styles from './person.module.css'
import { RenewalDialog, renewalLabel } from './renewal-dialog'

/** Somebody's plan, and their credits with their history. */
export function BillingCard({ userId }: { userId: string }) {
  const query = useGetPersonBillingInfiniteQuery(userId, { refetchOnMountOrArgChange: true })
  const [adjusting, setAdjusting] = useStaffDraft(`adjusting:${userId}`)
  const [renewing, setRenewing] = useStaffDraft(`renewing:${userId}`)
  const list = useRef<HTMLUListElement>(null)
  return (
    <PartCard title="Plan and credits" query={query} failed="Failed to load plan and credits">
      {({ pages }) => (
        <>
          {pages[0] && <Facts billing={pages[0]} />}
          <div className={styles.actions}>
            <Button
              variant="secondary"
              size="dense"
              data-event="adjust_credits"
              onClick={() => setAdjusting('yes')}
            >
              Adjust credits
            </Button>
            {pages[0]?.disabled && pages[0].subscription && (
              <Button
                variant="secondary"
                size="dense"
                data-event="set_person_renewal"
                onClick={() => setRenewing(pages[0]?.renews ? 'stop' : 'allow')}
              >
                {renewalLabel(pages[0].renews)}
              </Button>
            )}
            {pages[0]?.stripeUrl && (
              <a
                href={pages[0].stripeUrl}
                target="_blank"
                rel="noreferrer"
                className={buttonClass({ variant: 'secondary', size: 'dense' })}
              >
                Open in Stripe
              </a>
            )}
          </div>
          <Entries ref={list} entries={pages.flatMap(({ entries }) => entries)} />
          <LoadMore list={query} listRef={list} />
          {renewing && (
            <RenewalDialog
              userId={userId}
              renews={renewing === 'stop'}
              onClose={() => setRenewing('')}
            />
          )}
          {adjusting && <CreditsDialog userId={userId} onClose={() => setAdjusting('')} />}
        </>
      )}
    </PartCard>
  )
}

export const planText = ({ subscription }: PersonBilling) => subscription?.plan.name ?? 'Free'

export const creditsText = ({ credits }: PersonBilling) =>
  credits ? twoDecimals(credits.balance) : 'None yet'

/** What comes next of a plan: its end or its next payment, or what is overdue. Of other states no day is sure. */
function termsOf({ status, current_period_end: end, due }: Subscription) {
  if (status === 'cancelled' && end) return { name: 'Ends', text: formatBillingDay(end) }
  if (status === 'active' && end) return { name: 'Next billing date', text: formatBillingDay(end) }
  if (status !== 'past_due' || !due) return null
  const text = `${moneyText(due.amount, due.currency)} since ${formatBillingDay(due.since)}`
  return { name: due.processing ? 'On its way' : 'Overdue', text }
}

function Facts({ billing }: { billing: PersonBilling }) {
  const { subscription, credits, owed, disputes } = billing
  const terms = subscription && termsOf(subscription)
  return (
    <dl className={styles.facts}>
      <Fact name="Plan">{planText(billing)}</Fact>
      {subscription && <Fact name="Status">{spaced(subscription.status)}</Fact>}
      {terms && <Fact name={terms.name}>{terms.text}</Fact>}
      <Fact name="Credits left">{creditsText(billing)}</Fact>
      {credits && credits.held > 0 && <Fact name="Set aside">{twoDecimals(credits.held)}</Fact>}
      {disputes > 0 && <Fact name="Disputed payments">{disputes}</Fact>}
      {owed > 0 && <Fact name="Spent, then paid back">{twoDecimals(owed)}</Fact>}
    </dl>
  )
}

interface EntriesProps {
  ref: React.Ref<HTMLUListElement>
  entries: readonly CreditEntry[]
}

function Entries({ ref, entries }: EntriesProps) {
  if (entries.length === 0) return <p className={styles.quiet}>No credits received or spent.</p>
  return (
    <ul ref={ref} tabIndex={-1} role="list" aria-label="Credit history">
      {entries.map(({ id, time, kind, amount, balance_after, description, paid }) => (
        <li key={id} className={styles.row}>
          <div className={styles.words}>
            <bdi>{description || kindText(kind)}</bdi>
            <p className={styles.quiet}>
              {kindText(kind)} · <time dateTime={time}>{formatDateTime(time)}</time>
              {paid && ` · ${moneyText(paid.amount, paid.currency)} paid`}
            </p>
          </div>
          <div className={styles.amount}>
            {formatChange(amount)}
            <p className={styles.quiet}>{twoDecimals(balance_after)} left</p>
          </div>
        </li>
      ))}
    </ul>
  )
}
