import { type RefObject, useCallback, useState } from 'react'
import { PartBoundary } from '@/components/app/part-boundary'
import { Button } from '@/components/button'
import type { WaitlistUser } from '@/lib/api/types'
import { useDecideWaitlistUserMutation, type WaitlistFilter } from '@/lib/api/waitlist-api'
import { whole } from '@/lib/numbers'
import { focusIfLost } from '@/lib/use-focus-fallback'
import list from '../list.module.css'
import { PagedTable } from '../paged-table'
import { type Question, QuestionDialog } from '../question'
import { SelectionHead } from '../selection-head'
import type { Bulk } from '../use-bulk'
import type { Selection } from '../use-selection'
import { ApproveAll } from './approve-all'
import { ResendDialog } from './resend-dialog'
import { type RowAction, WaitlistFacts, WaitlistRow } from './waitlist-row'
import styles from './waitlist-row.module.css'

interface WaitlistTableProps {
  ref: RefObject<HTMLTableElement | null>
  /** The filter that the server was asked with. */
  status: WaitlistFilter['status']
  search: string
  undelivered: boolean
  /** The entries as they were loaded, a page at a time; whether there are more. */
  pages: readonly WaitlistUser[][]
  more: boolean
  loading: boolean
  /** Of the entries that are pending. */
  selection: Selection<WaitlistUser>
  /** The approval of the selected. */
  bulk: Bulk
  onApprove: () => void
  /** Approves all who match, also those that are not loaded. */
  onApproveAll: () => void
}

const facts = ['Email', 'Status', 'Source', 'Joined'] as const
const titles = ['Select', ...facts, 'Actions'] as const

function countOf(count: number, more: boolean): string {
  const entries = `${whole(count)} ${count === 1 ? 'entry' : 'entries'}`
  return more ? `The first ${entries}` : entries
}

type ReadTableProps = Pick<WaitlistTableProps, 'ref' | 'pages' | 'more' | 'loading'>

const drawFacts = (entry: WaitlistUser) => <WaitlistFacts entry={entry} />

/** The entries for whoever may only read. */
export function WaitlistFactsTable({ ref, pages, more, loading }: ReadTableProps) {
  const count = pages.reduce((sum, page) => sum + page.length, 0)
  return (
    <PartBoundary resetKey={pages}>
      <p role="status" className={list.quiet}>
        {loading ? 'Loading the waitlist...' : countOf(count, more)}
      </p>
      <PagedTable
        ref={ref}
        caption="Waitlist"
        columns={styles.facts ?? ''}
        titles={facts}
        unseen={[]}
        pages={pages}
        loading={loading}
      >
        {drawFacts}
      </PagedTable>
    </PartBoundary>
  )
}

/** Before a person loses their place, and the app if they had it. */
const removal = ({ email, status }: WaitlistUser, onConfirm: () => void): Question => ({
  title: 'Remove from the waitlist?',
  text: (
    <>
      <bdi dir="ltr">{email}</bdi> {status === 'approved' && 'can no longer download the app, and '}
      can return only if you add the address by hand.
    </>
  ),
  action: 'Remove',
  destructive: true,
  onConfirm,
})

/** The entries, and what can be done with those that are selected. */
export function WaitlistTable(props: WaitlistTableProps) {
  const { ref, status, search, undelivered, pages, more, loading, selection, bulk } = props
  const count = pages.reduce((sum, page) => sum + page.length, 0)
  const pending = pages.some((page) => page.some((entry) => entry.status === 'pending'))
  const { ids, toggle } = selection
  const waiting = bulk.progress !== null
  const [question, setQuestion] = useState<Question | null>(null)
  const [resending, setResending] = useState<WaitlistUser | null>(null)
  const [send] = useDecideWaitlistUserMutation()
  const decide = useCallback(
    ({ id }: WaitlistUser, action: RowAction) =>
      send({ waitlistUserId: id, action, shown: { status, search, undelivered } }).unwrap(),
    [send, status, search, undelivered],
  )
  const ask = useCallback(
    (entry: WaitlistUser, remove: () => void) => setQuestion(removal(entry, remove)),
    [setQuestion],
  )
  const draw = useCallback(
    (entry: WaitlistUser) => (
      <WaitlistRow
        entry={entry}
        selected={ids.has(entry.id)}
        waiting={waiting}
        onSelect={toggle}
        decide={decide}
        onRemove={ask}
        onResend={setResending}
      />
    ),
    [ids, waiting, toggle, decide, ask, setResending],
  )
  return (
    <PartBoundary resetKey={pages}>
      <SelectionHead
        outdent
        selection={selection}
        allLabel="Select all pending entries shown"
        selectable={pending}
        bulk={bulk}
        count={loading ? 'Loading the waitlist...' : countOf(count, more)}
        actionsLabel="Change the selected entries"
        actions={
          <>
            <Button
              variant="secondary"
              size="dense"
              pending={waiting}
              data-event="approve_waitlist_users"
              onClick={props.onApprove}
            >
              {waiting ? 'Approving...' : 'Approve selected'}
            </Button>
            {selection.all && more && !undelivered && !waiting && (
              <ApproveAll search={search} onApprove={props.onApproveAll} />
            )}
          </>
        }
      />
      <PagedTable
        ref={ref}
        caption="Waitlist"
        columns={styles.columns ?? ''}
        titles={titles}
        unseen={['Select', 'Actions']}
        headTop="3.5rem"
        pages={pages}
        loading={loading}
      >
        {draw}
      </PagedTable>
      <QuestionDialog question={question} onClose={() => setQuestion(null)} />
      {resending && (
        <ResendDialog
          entry={resending}
          shown={{ status, search, undelivered }}
          onClose={() => {
            setResending(null)
            focusIfLost(ref.current) // among the undelivered, the row is gone
          }}
        />
      )}
    </PartBoundary>
  )
}
