import { Card } from '@/components/app/card'
import { Button } from '@/components/button'
import { useGetBillingCasesQuery, useGetFinancesQuery } from '@/lib/api/finance-api'
import type { Finances } from '@/lib/api/types'
import { ABSENT, moneyText, twoDecimals, whole } from '@/lib/numbers'
import { PartCard } from '../people/part-card'
import { StatCard } from '../stat-card'
import styles from './billing-view.module.css'
import { CaseList } from './case-list'
import { MonthEnd } from './month-end'
import { OwingList } from './owing-list'
import { SubscriptionTable } from './subscription-table'

/** What is sold and earned, what credits do, and what waits for somebody's decision. */
export function BillingView() {
  const finances = useGetFinancesQuery(undefined, { refetchOnMountOrArgChange: true })
  const cases = useGetBillingCasesQuery(undefined, { refetchOnMountOrArgChange: true })
  const refresh = () => {
    void finances.refetch()
    void cases.refetch()
  }
  return (
    <div className={styles.page}>
      <div className={styles.head}>
        <h2 className={styles.title}>Billing</h2>
        <Button
          variant="secondary"
          pending={finances.isFetching || cases.isFetching}
          data-event="refresh"
          onClick={refresh}
        >
          Refresh
        </Button>
      </div>
      <dl className={styles.figures}>
        {figures.map(([name, value]) => (
          <StatCard
            key={name}
            label={name}
            value={finances.data ? value(finances.data) : finances.error ? ABSENT : undefined}
          />
        ))}
      </dl>
      <PartCard
        title="Waiting for a decision"
        query={cases}
        failed="Failed to load what waits for a decision"
      >
        {(list) => <CaseList cases={list} />}
      </PartCard>
      <PartCard title="Stripe's settings" query={finances} failed="Failed to load the settings">
        {({ differences }) => <Differences sentences={differences} />}
      </PartCard>
      <PartCard title="Subscriptions" query={finances} failed="Failed to load subscriptions">
        {({ subscriptions }) => <SubscriptionTable groups={subscriptions} />}
      </PartCard>
      <PartCard title="Paid back" query={finances} failed="Failed to load what was paid back">
        {({ owing }) => <OwingList accounts={owing} />}
      </PartCard>
      <Card aria-labelledby="month-end-title">
        <h3 id="month-end-title" className={styles.heading}>
          Month end
        </h3>
        <div className={styles.part}>
          <MonthEnd />
        </div>
      </Card>
    </div>
  )
}

const figures: readonly (readonly [name: string, value: (f: Finances) => string])[] = [
  [
    'Monthly revenue',
    ({ monthlyRevenue }) =>
      monthlyRevenue.map(({ amount, currency }) => moneyText(amount, currency)).join(' + ') ||
      moneyText(0, 'usd'),
  ],
  ['Subscribers lost, 30 days', ({ had, lost }) => `${whole(lost)} of ${whole(had)}`],
  ['Credits granted, 30 days', ({ credits }) => twoDecimals(credits.granted)],
  ['Credits spent, 30 days', ({ credits }) => twoDecimals(credits.spent)],
  ['Credits expired, 30 days', ({ credits }) => twoDecimals(credits.expired)],
  ['Credits outstanding', ({ outstanding }) => twoDecimals(outstanding)],
  ['Credits spent, then paid back', ({ owed }) => twoDecimals(owed)],
]

function Differences({ sentences }: { sentences: readonly string[] }) {
  if (sentences.length === 0)
    return <p className={styles.quiet}>Nothing differs from what billing needs.</p>
  return (
    <ul role="list" className={styles.sentences}>
      {sentences.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  )
}
