import { Button, chakra } from '@chakra-ui/react'
import type { AdminUser } from '@/lib/api/types'
import { formatDateTime, formatDay } from '@/lib/dates'
import { Cell, Row } from '../paged-table'
import { useRowFocus } from '../use-row-focus'
import { RoleBadges } from './role-badges'
import { rowLayout } from './row-layout'

interface UserRowProps {
  user: AdminUser
  onRoles: (user: AdminUser) => void
}

/** One account, and the way to its roles. */
export function UserRow({ user, onRoles }: UserRowProps) {
  const row = useRowFocus(null)
  return (
    <Row ref={row} css={rowLayout}>
      <Cell fontWeight={550} overflowWrap="anywhere">
        <bdi dir="ltr">{user.email}</bdi>
      </Cell>
      <Cell>
        <RoleBadges held={user.roles} />
      </Cell>
      <Cell color="muted" fontVariantNumeric="tabular-nums">
        <Stacked>Joined </Stacked>
        {formatDay(user.created_at)}
      </Cell>
      <Cell color="muted" fontVariantNumeric="tabular-nums">
        <Stacked>Last sign-in </Stacked>
        {formatDateTime(user.last_sign_in_at, 'Never')}
      </Cell>
      <Cell textAlign={{ md: 'end' }}>
        <Button
          size="sm"
          variant="outline"
          aria-label={`Change roles of ${user.email}`}
          onClick={() => onRoles(user)}
        >
          Change roles
        </Button>
      </Cell>
    </Row>
  )
}

/** What the head of the column says, where rows are stacked and there is no head. */
const Stacked = chakra('span', { base: { color: 'quiet', display: { lg: 'none' } } })
