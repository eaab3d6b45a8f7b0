import { StatusBadge, type Tone } from '@/components/app/status-badge'
import type { AdminUser, UserState } from '@/lib/api/types'
import { formatDay } from '@/lib/dates'
import { lookup } from '@/lib/lookup'
import { titled } from '@/lib/words'

const tones: Record<UserState, Tone> = {
  active: 'positive',
  disabled: 'danger',
  deleting: 'caution',
}

/** Whether an account may be used, and until when it is kept. */
export function StateBadge({ user }: { user: Pick<AdminUser, 'state'> & Partial<AdminUser> }) {
  const { state, erase_at } = user
  return (
    <StatusBadge tone={lookup(tones, state) ?? 'neutral'}>
      {state === 'deleting' && erase_at ? `Deleted on ${formatDay(erase_at)}` : titled(state)}
    </StatusBadge>
  )
}
