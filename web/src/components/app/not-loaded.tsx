import { Button } from '../button'
import { Alert } from './alert'
import { Dialog, DialogBody } from './dialog'
import styles from './load-failure.module.css'

/** The fallback for a part of a page whose code could not be loaded. */
export function NotLoaded() {
  return (
    <div className={styles.failure}>
      <Alert problem="not_loaded">This part of the page could not be loaded.</Alert>
      <Button
        variant="secondary"
        size="dense"
        data-event="reload_page"
        onClick={() => window.location.reload()}
      >
        Reload the page
      </Button>
    </div>
  )
}

interface DialogNotLoadedProps {
  open: boolean
  onClose: () => void
}

/** The same for a dialog. */
export function DialogNotLoaded({ open, onClose }: DialogNotLoadedProps) {
  return (
    <Dialog open={open} title="This could not be loaded" onClose={onClose}>
      <DialogBody>
        <Alert problem="not_loaded">Please check your connection and reload the page.</Alert>
      </DialogBody>
    </Dialog>
  )
}
