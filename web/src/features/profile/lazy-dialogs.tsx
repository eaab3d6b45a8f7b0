import type { ComponentType } from 'react'
import { Alert } from '@/components/app/alert'
import { Dialog, DialogBody } from '@/components/app/dialog'
import { lazyPart } from '@/components/app/lazy-part'

/** Takes the place of a dialog whose code did not arrive. */
function NotLoaded({ onClose }: { onClose: () => void }) {
  return (
    <Dialog open title="This could not be loaded" onClose={onClose}>
      <DialogBody>
        <Alert>Please check your connection and reload the page.</Alert>
      </DialogBody>
    </Dialog>
  )
}

const lazyDialog = <Props extends { onClose: () => void }>(
  load: () => Promise<ComponentType<Props>>,
) => lazyPart(load, { failed: NotLoaded })

/** The dialogs of the profile, each loaded when it is first opened. */
export const PlanModal = lazyDialog(() => import('./paywall/plan-modal').then((m) => m.PlanModal))
export const WelcomeModal = lazyDialog(() =>
  import('./welcome/welcome-modal').then((m) => m.WelcomeModal),
)
export const HistoryModal = lazyDialog(() =>
  import('./history/history-modal').then((m) => m.HistoryModal),
)
