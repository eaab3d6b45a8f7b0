import { CardBoundary } from '@/components/app/card-boundary'
import { BetaCard } from './beta-card'
import { DeletionCard } from './deletion/deletion-card'
import { DevicesCard } from './devices/devices-card'
import { SecondFactor } from './second-factor/second-factor'
import { MethodsCard } from './sign-in-methods/methods-card'
import { useLastChange } from './sign-in-methods/use-last-change'
import { TakeoutCard } from './takeout/takeout-card'

interface FurtherCardsProps {
  linkingFailed: boolean
  /** Whether the deletion of the account is being asked for. */
  deleting: boolean
  onDelete: () => void
}

/** The cards below the first screen of the profile. */
export function FurtherCards({ linkingFailed, deleting, onDelete }: FurtherCardsProps) {
  const change = useLastChange()
  return (
    <>
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
        <DeletionCard asking={deleting} onAsk={onDelete} />
      </CardBoundary>
    </>
  )
}
