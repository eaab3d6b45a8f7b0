import type { ReactNode } from 'react'
import { CardBoundary } from '@/components/app/card-boundary'
import { lazyView } from '@/components/app/lazy-part'
import { PageFrame } from '@/components/app/page-frame'
import { usePayment } from './billing/use-payment'
import { useReturnFromPortal } from './billing/use-portal'
import { CreditsCard } from './credits/credits-card'
import { DeletionModal } from './deletion/deletion-modal'
import { HistoryModal } from './history/history-modal'
import { PlanModal } from './paywall/plan-modal'
import { PlanCard } from './plan/plan-card'
import styles from './profile.module.css'
import { useDialogs } from './use-dialogs'
import { WelcomeModal } from './welcome/welcome-modal'

const FurtherCards = lazyView(() => import('./further-cards').then((m) => m.FurtherCards), {
  loading: () => <div className={styles.further} />,
})

interface ProfileContentProps {
  email: string
  children?: ReactNode
}

/** What a person has with us. */
export function ProfileContent({ email, children }: ProfileContentProps) {
  const { open, show, close, payment, pack, linkingFailed } = useDialogs()
  const progress = usePayment(payment)
  useReturnFromPortal()

  return (
    <PageFrame>
      <div className={styles.head}>
        <h1 className={styles.title}>Profile</h1>
        <p className={styles.email}>{email}</p>
      </div>
      <div className={styles.cards}>
        <div className={styles.panel}>
          <CardBoundary name="Your plan">
            <PlanCard progress={progress} onChoosePlan={() => show('plans')} />
          </CardBoundary>
          <CardBoundary name="Credits Remaining">
            <CreditsCard pack={pack} onDetails={() => show('history')} />
          </CardBoundary>
        </div>
        {children}
        <FurtherCards
          linkingFailed={linkingFailed}
          deleting={open === 'deletion'}
          onDelete={() => show('deletion')}
        />
      </div>
      {open === 'plans' && <PlanModal onClose={close} />}
      {open === 'welcome' && payment && (
        <WelcomeModal payment={payment} progress={progress} onClose={close} />
      )}
      {open === 'history' && <HistoryModal onClose={close} />}
      {open === 'deletion' && <DeletionModal email={email} onClose={close} />}
    </PageFrame>
  )
}
