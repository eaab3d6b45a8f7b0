import type { ReactNode } from 'react'
import { CardBoundary } from '@/components/app/card-boundary'
import { Deferred } from '@/components/app/deferred'
import { PageFrame } from '@/components/app/page-frame'
import { BetaCard } from './beta-card'
import { usePayment } from './billing/use-payment'
import { useReturnFromPortal } from './billing/use-portal'
import { CreditsCard } from './credits/credits-card'
import { DeletionCard } from './deletion/deletion-card'
import { DeletionModal } from './deletion/deletion-modal'
import { DevicesCard } from './devices/devices-card'
import { HistoryModal } from './history/history-modal'
import { PlanModal } from './paywall/plan-modal'
import { PlanCard } from './plan/plan-card'
import styles from './profile.module.css'
import { SecondFactor } from './second-factor/second-factor'
import { MethodsCard } from './sign-in-methods/methods-card'
import { useLastChange } from './sign-in-methods/use-last-change'
import { TakeoutCard } from './takeout/takeout-card'
import { useDialogs } from './use-dialogs'
import { WelcomeModal } from './welcome/welcome-modal'

interface ProfileContentProps {
  email: string
  children?: ReactNode
}

/** What a person has with us. */
export function ProfileContent({ email, children }: ProfileContentProps) {
  const { open, show, close, payment, pack, linkingFailed } = useDialogs()
  const progress = usePayment(payment)
  useReturnFromPortal()
  const change = useLastChange()

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
        <Deferred fallback={<div className={styles.further} />}>
          {children}
          <CardBoundary name="Where you're signed in">
            <DevicesCard />
          </CardBoundary>
          <CardBoundary name="How you sign in">
            <MethodsCard linkingFailed={linkingFailed} change={change} />
          </CardBoundary>
          <CardBoundary name="Second factor">
            <SecondFactor change={change} />
          </CardBoundary>
          <CardBoundary name="Closed beta">
            <BetaCard />
          </CardBoundary>
          <CardBoundary name="Your data">
            <TakeoutCard />
          </CardBoundary>
          <CardBoundary name="Delete account">
            <DeletionCard asking={open === 'deletion'} onAsk={() => show('deletion')} />
          </CardBoundary>
        </Deferred>
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
