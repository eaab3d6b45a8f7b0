import dynamic from 'next/dynamic'
import { Alert } from '@/components/app/alert'
import { Dialog, DialogBody } from '@/components/app/dialog'

/** Takes the place of a dialog whose code did not arrive, such as without a network. */
function NotLoaded({ onClose }: { onClose: () => void }) {
  return (
    <Dialog open title="This could not be loaded" onClose={onClose}>
      <DialogBody>
        <Alert>Please check your connection and reload the page.</Alert>
      </DialogBody>
    </Dialog>
  )
}

/** The dialogs of the profile, each loaded when it is first opened. */
export const PlanModal = dynamic(
  () =>
    import('./paywall/plan-modal').then(
      (m) => m.PlanModal,
      () => NotLoaded,
    ),
  { ssr: false },
)
export const WelcomeModal = dynamic(
  () =>
    import('./welcome/welcome-modal').then(
      (m) => m.WelcomeModal,
      () => NotLoaded,
    ),
  { ssr: false },
)
export const HistoryModal = dynamic(
  () =>
    import('./history/history-modal').then(
      (m) => m.HistoryModal,
      () => NotLoaded,
    ),
  { ssr: false },
)
