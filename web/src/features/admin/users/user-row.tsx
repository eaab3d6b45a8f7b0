import { memo } from 'react'
import { Button } from '@/components/button'
import type { AdminUser } from '@/lib/api/types'
import { formatDateTime, formatDay } from '@/lib/dates'
import { Cell, Row } from '../paged-table'
import { PersonLink } from '../people/person-link'
import { RelayNote } from '../people/relay-note'
import { StateBadge } from '../people/state-badge'
import { useRowFocus } from '../row-focus'
import { RoleBadges } from './role-badges'
import styles from './user-row.module.css'

interface UserRowProps {
  user: AdminUser
  /** Left out for whoever may not change them. */
  onRoles?: ((user: AdminUser) => void) | undefined
}

/** One account, and the way to its roles. */
export const UserRow = memo(function UserRow({ user, onRoles }: UserRowProps) {
  const row = useRowFocus()
  return (
    <Row ref={row} className={onRoles ? styles.columns : styles.facts}>
      <Cell className={styles.email}>
        <PersonLink person={user.id}>
          <bdi dir="ltr">{user.email}</bdi>
        </PersonLink>
        <RelayNote email={user.email} />
        {user.state !== 'active' && (
          <div className={styles.state}>
            <StateBadge user={user} />
          </div>
        )}
      </Cell>
      <Cell>
        <RoleBadges roles={user.roles} />
      </Cell>
      <Cell className={styles.date}>
        <span className={styles.stacked}>Joined </span>
        {formatDay(user.created_at)}
      </Cell>
      <Cell className={styles.date}>
        <span className={styles.stacked}>Last sign-in </span>
        {formatDateTime(user.last_sign_in_at, 'Never')}
      </Cell>
      {onRoles && (
        <Cell className={styles.action}>
          <Button
            variant="secondary"
            size="dense"
            aria-label={`Change roles of ${user.email}`}
            data-event="change_roles"
            onClick={() => onRoles(user)}
          >
            Change roles
          </Button>
        </Cell>
      )}
    </Row>
  )
})
