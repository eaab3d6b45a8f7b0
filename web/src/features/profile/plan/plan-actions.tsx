import { Button } from '@/components/button'
import type { PlanAction } from './plan-state'

interface PlanActionsProps {
  actions: readonly PlanAction[]
  /** Whether the billing portal is being opened. */
  opening: boolean
  onChoosePlan: () => void
  onPortal: () => void
}

const choices: Partial<Record<PlanAction, string>> = {
  upgrade: 'Upgrade Plan',
  change: 'Change Plan',
  resubscribe: 'Resubscribe',
}

const portals: Partial<Record<PlanAction, string>> = {
  manage: 'Manage Subscription',
  'update-payment': 'Update Payment Method',
}

/** The plan card's buttons: those that choose a plan, and those that open the billing portal. */
export function PlanActions({ actions, opening, onChoosePlan, onPortal }: PlanActionsProps) {
  return actions.map((action, index) => {
    const choice = choices[action]
    return (
      <Button
        key={action}
        variant={index === 0 ? 'primary' : 'secondary'}
        aria-disabled={!choice && opening}
        data-event={action}
        onClick={choice ? onChoosePlan : onPortal}
      >
        {choice ?? portals[action]}
      </Button>
    )
  })
}
