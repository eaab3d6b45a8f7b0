import { useDeferredValue, useEffect, useRef } from 'react'
import { Card } from '@/components/app/card'
import { CardHead } from '@/components/app/card-head'
import { LoadFailure } from '@/components/app/load-failure'
import { Button } from '@/components/button'
import { useGetDevicesQuery } from '@/lib/api/devices-api'
import { focusIfLost } from '@/lib/use-focus-fallback'
import { DeviceRow } from './device-row'
import { DeviceSkeleton } from './device-skeleton'
import styles from './devices-card.module.css'
import { SignOutDialog } from './sign-out-dialog'
import { useSignOut } from './use-sign-out'

/** Where the person is signed in: the browsers and Macs, each with a way to sign it out. */
export function DevicesCard() {
  const { data, error, isFetching, refetch } = useGetDevicesQuery(undefined, {
    refetchOnMountOrArgChange: true,
  })
  // There may be many: they are rendered after the cards above, but leave at once, before the focus is looked for.
  const arrived = useDeferredValue(data !== undefined)
  const devices = arrived ? data : undefined
  const signOut = useSignOut()
  const heading = useRef<HTMLHeadingElement>(null)

  // Emails about new devices link here. The cards above have their final height only now.
  useEffect(() => {
    if (arrived && window.location.hash === '#devices') heading.current?.focus()
  }, [arrived])

  return (
    <Card rows aria-labelledby="devices" aria-busy={isFetching}>
      <CardHead
        id="devices"
        title="Where you're signed in"
        text="Browsers and Macs that can use your account. Sign out of any that you don't recognize."
        headingRef={heading}
      >
        <Button
          variant="secondary"
          size="dense"
          data-event="sign_out_everywhere"
          onClick={() => signOut.ask('everywhere')}
        >
          Sign out everywhere
        </Button>
      </CardHead>
      <div className={styles.content}>
        {error && (
          <div className={styles.failure}>
            <LoadFailure
              error={error}
              message="Your devices could not be loaded."
              retrying={isFetching}
              onRetry={() => void refetch()}
            />
          </div>
        )}
        {!devices && !error && <DeviceSkeleton />}
        {devices && (
          <ul role="list">
            {devices.map((device) => (
              <DeviceRow
                key={device.id}
                device={device}
                busy={signOut.busy}
                onSignOut={() => signOut.ask(device)}
              />
            ))}
          </ul>
        )}
        {devices?.length === 0 && (
          <p className={styles.none}>No device has used your account yet.</p>
        )}
      </div>
      {/* The button that asked may have left with its row. */}
      <SignOutDialog signOut={signOut} onClosed={() => focusIfLost(heading.current)} />
    </Card>
  )
}
