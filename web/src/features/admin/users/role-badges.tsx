import { StatusBadge, type Tone } from '@/components/app/status-badge'
import type { Role } from '@/lib/api/types'
import { lookup } from '@/lib/lookup'
import { titled } from '@/lib/words'
import { roles } from './user-filter'
import styles from './user-row.module.css'

const toneOf: Record<Role, Tone> = { admin: 'danger', moderator: 'notice', user: 'neutral' }

/** The roles of an account, the one with the most rights first, those that are not known last. */
export function RoleBadges({ held }: { held: readonly string[] }) {
  const known: readonly string[] = roles
  const shown = [
    ...known.filter((role) => held.includes(role)),
    ...held.filter((role) => !known.includes(role)),
  ]
  return (
    <div className={styles.roles}>
      {shown.map((role) => (
        <StatusBadge key={role} tone={lookup(toneOf, role) ?? 'neutral'}>
          {titled(role)}
        </StatusBadge>
      ))}
    </div>
  )
}
