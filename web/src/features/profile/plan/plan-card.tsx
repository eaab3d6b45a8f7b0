import { Card } from '@/components/app/card'
import { LoadFailure } from '@/components/app/load-failure'
import { LoadingStatus } from '@/components/app/loading-status'
import { Skeleton } from '@/components/app/skeleton'
import { StatusBadge } from '@/components/app/status-badge'
import { useGetSubscriptionQuery, useGetTokenBalanceQuery } from '@/lib/api/billing-api'
import type { PaymentProgress } from '../billing/use-payment'
import { usePortal } from '../billing/use-portal'
import { PaymentNotice } from './payment-notice'
import { PlanActions } from './plan-actions'
import styles from './plan-card.module.css'
import { type PlanState, planState } from './plan-state'

interface PlanCardProps {
  progress: PaymentProgress
  onChoosePlan: () => void
}

/** The plan that the person has, and what can be done about it. */
export function PlanCard({ progress, onChoosePlan }: PlanCardProps) {
  const { data, error, isFetching, refetch } = useGetSubscriptionQuery(undefined, {
    refetchOnMountOrArgChange: true,
  })
  const { data: credits } = useGetTokenBalanceQuery()
  const portal = usePortal()
  const known = data !== undefined

  return (
    <Card aria-labelledby="plan" aria-busy={isFetching}>
      <p className={styles.label}>Your plan</p>
      {known ? (
        <Plan state={planState(data.subscription, credits)} />
      ) : (
        <>
          <h2 id="plan" className="visually-hidden">
            Your plan
          </h2>
          {error ? (
            <div className={styles.failure}>
              <LoadFailure
                error={error}
                message="Your plan could not be loaded."
                retrying={isFetching}
                onRetry={() => void refetch()}
              />
            </div>
          ) : (
            <PlanSkeleton />
          )}
        </>
      )}
      <PaymentNotice progress={progress} />
      {known && (
        <div className={styles.actions}>
          <PlanActions
            actions={planState(data.subscription).actions}
            opening={portal.opening}
            onChoosePlan={onChoosePlan}
            onPortal={portal.open}
          />
          {/* Receipts are needed after the plan has ended, too. */}
          {(data.subscription || data.hasPortal) && (
            <button
              type="button"
              className={styles.link}
              aria-disabled={portal.opening}
              data-event="invoices"
              onClick={portal.open}
            >
              Invoices
            </button>
          )}
        </div>
      )}
    </Card>
  )
}

function Plan({ state }: { state: PlanState }) {
  const { title, badge, description, credits, billing, change, due } = state
  return (
    <>
      <div className={styles.plan}>
        <h2 id="plan" className={styles.title}>
          {title}
        </h2>
        {badge && <StatusBadge tone={badge.tone}>{badge.text}</StatusBadge>}
      </div>
      <div className={styles.terms}>
        {description && <p>{description}</p>}
        {credits && <p className={styles.credits}>{credits}</p>}
        {billing && <p className={styles.billing}>{billing}</p>}
        {change && <p className={styles.billing}>{change}</p>}
        {due && <p className={styles.billing}>{due}</p>}
      </div>
    </>
  )
}

function PlanSkeleton() {
  return (
    <>
      <LoadingStatus>Loading your plan...</LoadingStatus>
      <div className={styles.skeleton}>
        <Skeleton height="1.75rem" width="11rem" />
        <Skeleton height="0.875rem" width="16rem" />
        <Skeleton height="0.75rem" width="13rem" />
        <Skeleton height="var(--target)" width="9rem" />
      </div>
    </>
  )
}
