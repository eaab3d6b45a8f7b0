import { useEffect, useRef } from 'react'
import { Alert } from '@/components/app/alert'
import { Card } from '@/components/app/card'
import { CardHead } from '@/components/app/card-head'
import { lazyView } from '@/components/app/lazy-part'
import { PartSkeleton } from '@/components/app/skeleton'
import { Button } from '@/components/button'
import { paths } from '@/config/paths'
import { wantedPart } from '../arrival'
import styles from './takeout.module.css'
import { useTakeout } from './use-takeout'

const FreshSignIn = lazyView(() => import('../deletion/fresh-sign-in').then((m) => m.FreshSignIn), {
  loading: () => <PartSkeleton height="8rem" />,
})

/** Everything that we hold about the person, as a file to take along. */
export function TakeoutCard() {
  const { busy, stale, saved, error, save } = useTakeout()
  const saver = useRef<HTMLButtonElement>(null)

  // A fresh sign-in, or a link, leads here: the next key press goes on. Only the person starts it.
  useEffect(() => {
    if (wantedPart(window.location) !== paths.downloadData) return
    saver.current?.scrollIntoView({ block: 'center' })
    saver.current?.focus({ preventScroll: true })
  }, [])

  return (
    <Card id="download-data" aria-labelledby="download-data-title">
      <CardHead
        id="download-data-title"
        title="Your data"
        text="Everything that we hold about you, as one ZIP: account, devices, credits, tickets and emails, for people and for programs."
      >
        <Button
          ref={saver}
          variant="secondary"
          size="dense"
          pending={busy}
          data-event="download_my_data"
          onClick={() => void save()}
        >
          {busy ? 'Preparing...' : 'Download my data'}
        </Button>
      </CardHead>
      <div className={styles.content}>
        {stale && (
          <FreshSignIn returnTo={paths.downloadData}>
            Your data can be downloaded for 15 minutes after signing in, so that nobody else can do
            it at your desk. You come back to this page.
          </FreshSignIn>
        )}
        {error && <Alert problem="download_my_data_failed">{error}</Alert>}
        <p role="status" className={styles.saved}>
          {saved && `Saved as ${saved}. README.txt in it says what each file holds.`}
        </p>
      </div>
    </Card>
  )
}
