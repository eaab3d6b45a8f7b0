import type { Device } from '@/lib/api/types'
import { lookup } from '@/lib/lookup'
import styles from './device-row.module.css'

/** Outlines on a 24-unit grid: a browser window, and a laptop. Other kinds have none. */
const outlines: Record<Device['kind'], string> = {
  browser: 'M4.5 5.5h15v13h-15zM4.5 9.5h15M7 7.5h.01M9.5 7.5h.01',
  mac: 'M5.5 5.5h13v9.5h-13zM3 18.5h18M10.5 18.5h3',
}

/** A drawing of the kind of device; the words beside it say the same. */
export function DeviceIcon({ kind }: { kind: Device['kind'] }) {
  return (
    <div className={styles.icon}>
      <svg viewBox="0 0 24 24" aria-hidden>
        <path d={lookup(outlines, kind)} />
      </svg>
    </div>
  )
}
