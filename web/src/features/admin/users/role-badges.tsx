import { StatusBadge, type Tone } from '@/components/app/status-badge'
import type { Role } from '@/lib/api/types'
import { lookup } from '@/lib/lookup'
import { titled } from '@/lib/words'
import { roles as knownRoles } from './user-filter'
import styles from './user-row.module.css'

const toneOf: Record<Role, Tone> = { admin: 'danger', moderator: 'notice', user: 'neutral' }

/** The roles of an account, the one with the most rights first, unknown ones last. */
export function RoleBadges({ roles }: { roles: readonly string[] }) {
  const known: readonly string[] = knownRoles
  const shown = [
    ...known.filter((role) => roles.includes(role)),
    ...roles.filter((role) => !known.includes(role)),
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
