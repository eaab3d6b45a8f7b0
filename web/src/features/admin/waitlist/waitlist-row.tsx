import { Button, Flex } from '@chakra-ui/react'
import { memo, useState } from 'react'
import { toastError, toastSuccess } from '@/components/app/toast'
import { problemText } from '@/lib/api/problem'
import type { WaitlistAction, WaitlistStatus, WaitlistUser } from '@/lib/api/types'
import type { useDecideWaitlistUserMutation } from '@/lib/api/waitlist-api'
import { titled } from '@/lib/words'
import { Check } from '../check'
import { formatDay } from '@/lib/dates'
import { StatusBadge, type Tone } from '@/components/app/status-badge'
import { Cell, Row } from '../paged-table'
import type { Removal } from './remove-confirm'
import { rowLayout } from './row-layout'
import { type RowFocus, useRowFocus } from '../use-row-focus'

/** What can be done with an entry, by its status. */
const actionsFor: Record<WaitlistStatus, readonly WaitlistAction[]> = {
  pending: ['approve', 'remove'],
  approved: ['remove'],
  rejected: [],
}

const toneOf: Record<WaitlistStatus, Tone> = {
  pending: 'caution',
  approved: 'positive',
  rejected: 'neutral',
}

const sourceNames: Record<WaitlistUser['source'], string> = {
  hero_section: 'Hero form',
  cta_section: 'Other form',
  admin: 'Added by hand',
  import: 'Imported',
}

const FAILED = 'Failed to process waitlist user'

/** A button without a frame stands with its word below the address. */
const flushWhenStacked = {
  '& > [data-action=remove]:first-child': { ms: { base: '-3', md: '0' } },
}

interface WaitlistRowProps {
  entry: WaitlistUser
  selected: boolean
  /** It may be part of a change of several. */
  resting: boolean
  onSelect: (entry: WaitlistUser, on: boolean) => void
  decide: ReturnType<typeof useDecideWaitlistUserMutation>[0]
  /** Asks first. */
  onRemove: (removal: Removal) => void
}

/**
 * One entry with its actions; both rest while one is in flight. Only pending ones are selected.
 * There may be thousands: a row is drawn anew only when something of its own changes, and does not
 * listen to the store.
 */
export const WaitlistRow = memo(function WaitlistRow(props: WaitlistRowProps) {
  const { entry, selected, resting, onSelect, decide, onRemove } = props
  const [busy, setBusy] = useState(false)
  const [focus, setFocus] = useState<RowFocus | null>(null)
  const row = useRowFocus(busy ? null : focus)

  const act = async (action: WaitlistAction) => {
    setFocus(null)
    setBusy(true)
    try {
      const { message } = await decide({ waitlistUserId: entry.id, action }).unwrap()
      toastSuccess(message || `Waitlist user ${action}d successfully`)
      setFocus({ action: action === 'approve' ? 'remove' : null })
    } catch (error) {
      toastError(problemText(error, FAILED))
      setFocus({ action })
    }
    setBusy(false)
  }

  return (
    <Row
      ref={row}
      css={rowLayout}
      data-selected={(selected && entry.status === 'pending') || undefined}
    >
      <Cell>
        {entry.status === 'pending' && (
          <Check
            aria-label={`Select ${entry.email}`}
            checked={selected}
            disabled={busy || resting}
            onChange={(event) => onSelect(entry, event.target.checked)}
          />
        )}
      </Cell>
      <Cell fontWeight={550} overflowWrap="anywhere">
        <bdi dir="ltr">{entry.email}</bdi>
      </Cell>
      <Cell>
        <StatusBadge tone={toneOf[entry.status]}>{titled(entry.status)}</StatusBadge>
      </Cell>
      <Cell color="muted">{sourceNames[entry.source]}</Cell>
      <Cell color="muted" fontVariantNumeric="tabular-nums">
        {formatDay(entry.created_at)}
      </Cell>
      <Cell>
        <Flex
          wrap={{ base: 'wrap', md: 'nowrap' }}
          gap="2"
          justify={{ md: 'flex-end' }}
          css={flushWhenStacked}
        >
          {actionsFor[entry.status].map((action) => (
            <Button
              key={action}
              size="sm"
              variant={action === 'approve' ? 'outline' : 'ghost'}
              disabled={busy || (resting && selected)}
              data-action={action}
              aria-label={`${action === 'approve' ? 'Approve' : 'Remove'} ${entry.email}`}
              onClick={() => {
                if (action === 'remove') onRemove({ entry, go: () => void act(action) })
                else void act(action)
              }}
            >
              {action === 'approve' ? 'Approve' : 'Remove'}
            </Button>
          ))}
        </Flex>
      </Cell>
    </Row>
  )
})
