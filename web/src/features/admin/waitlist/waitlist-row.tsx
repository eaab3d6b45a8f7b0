import { memo, useState } from 'react'
import { StatusBadge, type Tone } from '@/components/app/status-badge'
import { toastError, toastSuccess } from '@/components/app/toast'
import { Button } from '@/components/button'
import { problemText } from '@/lib/api/problem'
import type { Message, WaitlistAction, WaitlistStatus, WaitlistUser } from '@/lib/api/types'
import { formatDay } from '@/lib/dates'
import { lookup } from '@/lib/lookup'
import { useIsAhead, useSecondsLeft } from '@/lib/use-seconds-left'
import { titled } from '@/lib/words'
import { Checkbox } from '../checkbox'
import { Cell, Row } from '../paged-table'
import { PersonLink } from '../people/person-link'
import { RelayNote } from '../people/relay-note'
import { StateBadge } from '../people/state-badge'
import { useCellFocus, useRowFocus } from '../row-focus'
import { isUndelivered, undeliveredText } from './waitlist-filter'
import styles from './waitlist-row.module.css'

/** The actions for an entry, by its status; none for an unknown status. */
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

export const sourceNames: Record<WaitlistUser['source'], string> = {
  hero_section: 'Hero form',
  cta_section: 'Other form',
  admin: 'Added by hand',
  import: 'Imported',
}

const FAILED = 'Failed to process waitlist user'

/** What needs no reason. */
export type RowAction = Exclude<WaitlistAction, 'resend'>

interface WaitlistRowProps {
  entry: WaitlistUser
  selected: boolean
  /** A bulk change is in progress. */
  waiting: boolean
  onSelect: (entry: WaitlistUser, on: boolean) => void
  decide: (entry: WaitlistUser, action: RowAction) => Promise<Message>
  /** Asks for confirmation, then calls `remove`. */
  onRemove: (entry: WaitlistUser, remove: () => void) => void
  /** Asks for the reason, and sends the email again. */
  onResend: (entry: WaitlistUser) => void
}

/** What is said when the server says nothing. */
const done: Record<RowAction, string> = {
  approve: 'Waitlist user approved successfully',
  remove: 'Waitlist user removed successfully',
  undo: 'The approval was undone',
}

/**
 * One entry with its actions, of which one runs at a time. Only pending entries can be selected. There may be
 * thousands, so a row is memoized: it renders again only when its own props change, and does not subscribe to the
 * store.
 */
export const WaitlistRow = memo(function WaitlistRow(props: WaitlistRowProps) {
  const { entry, selected, waiting, onSelect, decide, onRemove, onResend } = props
  const [running, setRunning] = useState<RowAction | null>(null)
  const row = useRowFocus()
  const undoable = useIsAhead(entry.undo_until)
  const pending = entry.status === 'pending'

  const act = async (action: RowAction) => {
    setRunning(action)
    try {
      const { message } = await decide(entry, action)
      toastSuccess(message || done[action])
    } catch (error) {
      toastError(problemText(error, FAILED))
    }
    setRunning(null)
  }

  return (
    <Row ref={row} className={styles.columns} data-selected={(selected && pending) || undefined}>
      <Cell>
        {pending && (
          <Checkbox
            aria-label={`Select ${entry.email}`}
            checked={selected}
            aria-disabled={running !== null || waiting || undefined}
            onChange={(event) => onSelect(entry, event.target.checked)}
          />
        )}
      </Cell>
      <Facts entry={entry} undoable={undoable} />
      <Cell>
        <Actions
          entry={entry}
          undoable={undoable}
          running={running}
          waiting={waiting && selected}
          onAct={(action) => {
            if (action === 'resend') onResend(entry)
            else if (action === 'remove') onRemove(entry, () => void act(action))
            else void act(action)
          }}
        />
      </Cell>
    </Row>
  )
})

/** One entry for whoever may only read. */
export const WaitlistFacts = memo(function WaitlistFacts({ entry }: { entry: WaitlistUser }) {
  return (
    <Row className={styles.facts}>
      <Facts entry={entry} />
    </Row>
  )
})

function Facts({ entry, undoable = false }: { entry: WaitlistUser; undoable?: boolean }) {
  return (
    <>
      <Cell className={styles.email}>
        <PersonLink person={entry.email}>
          <bdi dir="ltr">{entry.email}</bdi>
        </PersonLink>
        <RelayNote email={entry.email} />
        {entry.claimed_email && (
          <div className={styles.aside}>
            Used by <bdi dir="ltr">{entry.claimed_email}</bdi>
            <RelayNote email={entry.claimed_email} />
          </div>
        )}
        {entry.user_state && (
          <p className={styles.aside}>
            Account <StateBadge user={{ state: entry.user_state }} />
          </p>
        )}
        {isUndelivered(entry) && <p className={styles.undelivered}>{undeliveredText(entry)}</p>}
        {entry.mail === 'complained' && <p className={styles.aside}>Marked an email as spam</p>}
        {entry.left && <p className={styles.aside}>Wants no emails</p>}
        {undoable && !entry.left && (
          <p className={styles.aside}>
            The email leaves in <SecondsLeft until={entry.undo_until} /> s
          </p>
        )}
        {entry.invitation_expired_at && (
          <p className={styles.aside}>
            Invitation expired {formatDay(entry.invitation_expired_at)}
          </p>
        )}
      </Cell>
      <Cell>
        <StatusBadge tone={lookup(toneOf, entry.status) ?? 'neutral'}>
          {titled(entry.status)}
        </StatusBadge>
      </Cell>
      <Cell className={styles.muted}>
        {lookup(sourceNames, entry.source) ?? titled(entry.source)}
      </Cell>
      <Cell className={styles.muted}>{formatDay(entry.created_at)}</Cell>
    </>
  )
}

/** By itself, so that a second that passes renders no row. */
function SecondsLeft({ until }: { until: string | undefined }) {
  return useSecondsLeft(until)
}

interface ActionsProps {
  entry: WaitlistUser
  undoable: boolean
  running: RowAction | null
  waiting: boolean
  onAct: (action: WaitlistAction) => void
}

function Actions(props: ActionsProps) {
  const { entry, undoable } = props
  const byStatus = lookup(actionsFor, entry.status) ?? []
  const actions: readonly WaitlistAction[] = [
    ...(undoable ? (['undo'] as const) : []),
    ...(isUndelivered(entry) && !entry.left ? (['resend'] as const) : []),
    ...byStatus,
  ]
  return actions.length > 0 ? <Buttons {...props} actions={actions} /> : null
}

function Buttons(props: ActionsProps & { actions: readonly WaitlistAction[] }) {
  const { entry, actions, running, waiting, onAct } = props
  const part = useCellFocus()
  return (
    <div ref={part} className={styles.actions}>
      {actions.map((action, at) => (
        <Button
          // By index: when the first action goes away, its focused button becomes the next one.
          key={at}
          variant={action === 'remove' ? 'ghost' : 'secondary'}
          size="dense"
          data-action={action}
          data-event={`${action}_waitlist_user`}
          pending={running === action}
          aria-disabled={waiting || running !== null}
          aria-label={`${titled(action)} ${entry.email}`}
          onClick={() => onAct(action)}
        >
          {titled(action)}
        </Button>
      ))}
    </div>
  )
}
