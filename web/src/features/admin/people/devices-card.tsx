import { Button } from '@/components/button'
import { useGetPersonDevicesQuery, useRevokePersonDeviceMutation } from '@/lib/api/person-api'
import type { Device, PastSignIn } from '@/lib/api/types'
import { formatDateTime } from '@/lib/dates'
import { deviceName } from '@/lib/device-name'
import { useStaffDraft } from '../use-staff-draft'
import { ActionDialog } from './action-dialog'
import { PartCard } from './part-card'
import styles from './person.module.css'

/** Where somebody is signed in, and their latest sign-ins. */
export function DevicesCard({ userId }: { userId: string }) {
  const query = useGetPersonDevicesQuery(userId, { refetchOnMountOrArgChange: true })
  const [revoke] = useRevokePersonDeviceMutation()
  const [ending, setEnding] = useStaffDraft(`ending-device:${userId}`)
  return (
    <PartCard title="Devices" query={query} failed="Failed to load the devices">
      {({ devices, signIns }) => (
        <>
          {devices.length === 0 && <p className={styles.quiet}>Not signed in anywhere.</p>}
          {devices.length > 0 && (
            <ul role="list" aria-label="Devices">
              {devices.map((device) => (
                <DeviceRow key={device.id} device={device} onSignOut={() => setEnding(device.id)} />
              ))}
            </ul>
          )}
          <SignIns signIns={signIns} />
          {devices
            .filter(({ id }) => id === ending)
            .map((device) => (
              <ActionDialog
                key={device.id}
                action={{
                  title: `Sign out of ${deviceName(device)}?`,
                  text: 'The device is signed out. The person can sign in on it again.',
                  label: 'Sign out',
                  done: `Signed out of ${deviceName(device)}`,
                  event: 'revoke_person_device',
                  run: (reason) => revoke({ userId, deviceId: device.id, reason }).unwrap(),
                }}
                subject={device.id}
                onClose={() => setEnding('')}
              />
            ))}
        </>
      )}
    </PartCard>
  )
}

function DeviceRow({ device, onSignOut }: { device: Device; onSignOut: () => void }) {
  const name = deviceName(device)
  return (
    <li className={styles.row}>
      <div className={styles.words}>
        <bdi className={styles.name}>{name}</bdi>
        <p className={styles.quiet}>
          Active{' '}
          <time dateTime={device.last_active_at}>{formatDateTime(device.last_active_at)}</time>
          {device.ip_address && ` · ${device.ip_address}`}
        </p>
      </div>
      <Button
        variant="secondary"
        size="dense"
        aria-label={`Sign out of ${name}`}
        data-event="sign_out_device"
        onClick={onSignOut}
      >
        Sign out
      </Button>
    </li>
  )
}

function SignIns({ signIns }: { signIns: readonly PastSignIn[] }) {
  if (signIns.length === 0) return null
  return (
    <details>
      <summary>Sign-ins of the last 30 days ({signIns.length})</summary>
      <ul role="list" aria-label="Sign-ins">
        {signIns.map((signIn) => (
          <li key={signIn.id} className={styles.row}>
            <div className={styles.words}>
              <bdi>{deviceName(signIn)}</bdi>
              <p className={styles.quiet}>
                <time dateTime={signIn.at}>{formatDateTime(signIn.at)}</time>
                {signIn.ip_address && ` · last used from ${signIn.ip_address}`}
                {signIn.ended_at && ` · ended ${formatDateTime(signIn.ended_at)}`}
              </p>
            </div>
          </li>
        ))}
      </ul>
    </details>
  )
}
