import { chakra } from '@chakra-ui/react'
import type { AdminUser } from '@/lib/api/types'
import { formatDay, formatMoment } from '../format'
import { Cell, Row } from '../paged-table'
import { RoleBadges } from './role-badges'
import { rowLayout } from './row-layout'

/** One account. */
export function UserRow({ user }: { user: AdminUser }) {
  return (
    <Row css={rowLayout}>
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
        {formatMoment(user.last_sign_in_at)}
      </Cell>
    </Row>
  )
}

/** What the head of the column says, where rows are stacked and there is no head. */
const Stacked = chakra('span', { base: { color: 'quiet', hideFrom: 'lg' } })
