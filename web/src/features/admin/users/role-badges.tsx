import { Flex } from '@chakra-ui/react'
import { StatusBadge, type Tone } from '@/components/app/status-badge'
import type { Role } from '@/lib/api/types'
import { titled } from '@/lib/words'
import { roles } from './user-filter'

const toneOf: Record<Role, Tone> = { admin: 'danger', moderator: 'notice', user: 'neutral' }

/** The roles of an account, the one with the most rights first. */
export function RoleBadges({ held }: { held: readonly Role[] }) {
  return (
    <Flex wrap="wrap" columnGap="4" rowGap="1">
      {roles
        .filter((role) => held.includes(role))
        .map((role) => (
          <StatusBadge key={role} tone={toneOf[role]}>
            {titled(role)}
          </StatusBadge>
        ))}
    </Flex>
  )
}
