import { site } from '@/config/site'
import { Button } from '../button'
import { Alert } from './alert'
import { Dialog, DialogBody } from './dialog'
import styles from './load-failure.module.css'
import { PageFrame } from './page-frame'

/** The fallback for a part of a page whose code could not be loaded. */
export function NotLoaded() {
  return <Failure text="This part of the page could not be loaded." />
}

/** The same for a whole page. */
export function PageNotLoaded() {
  return (
    <PageFrame centred>
      <h1 className="visually-hidden">{site.name}</h1>
      <Failure text="This page could not be loaded." />
    </PageFrame>
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

function Failure({ text }: { text: string }) {
  return (
    <div className={styles.failure}>
      <Alert problem="not_loaded">{text}</Alert>
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
