import { useRef } from 'react'
import { StatusBadge } from '@/components/app/status-badge'
import { Button } from '@/components/button'
import { site } from '@/config/site'
import type { Device } from '@/lib/api/types'
import { formatFullDateTime, formatTimeAgo } from '@/lib/dates'
import { useFocusFallback } from '@/lib/use-focus-fallback'
import { DeviceIcon } from './device-icon'
import { deviceName } from '@/lib/device-name'
import styles from './device-row.module.css'
import { useNow } from '@/lib/use-now'

interface DeviceRowProps {
  device: Device
  busy: boolean
  onSignOut: () => void
}

/** One device: what it is, when it was last used and from where, and signing it out. */
export function DeviceRow({ device, busy, onSignOut }: DeviceRowProps) {
  const name = deviceName(device)
  const row = useRef<HTMLLIElement>(null)
  // The dialog gives the focus back to this row before the row leaves.
  useFocusFallback(row, (element) => element.closest('section')?.querySelector('h2'))
  return (
    <li ref={row} className={styles.row}>
      <div className={styles.device}>
        <DeviceIcon kind={device.kind} />
        <div className={styles.words}>
          <div className={styles.head}>
            <bdi className={styles.name}>{name}</bdi>
            {device.current && <StatusBadge tone="positive">This device</StatusBadge>}
          </div>
          <Details device={device} />
        </div>
      </div>
      <Button
        variant="secondary"
        size="dense"
        className={styles.signOut}
        aria-disabled={busy}
        aria-label={device.current ? 'Sign out of this device' : `Sign out of ${name}`}
        data-event="sign_out_device"
        onClick={onSignOut}
      >
        Sign out
      </Button>
    </li>
  )
}

function Details({ device }: { device: Device }) {
  const now = useNow()
  const { current, last_active_at, ip_address, kind } = device
  return (
    <p className={styles.details}>
      {kind === 'mac' && <span>{site.name} for Mac</span>}
      <time dateTime={last_active_at} title={formatFullDateTime(last_active_at)}>
        {current ? 'Active now' : `Active ${formatTimeAgo(last_active_at, now)}`}
      </time>
      {ip_address && <span>{ip_address}</span>}
    </p>
  )
}
