import { Box, Button } from '@chakra-ui/react'
import { type Ref, useCallback, useState } from 'react'
import type { WaitlistUser } from '@/lib/api/types'
import { useDecideWaitlistUserMutation } from '@/lib/api/waitlist-api'
import { whole } from '@/lib/numbers'
import { PagedTable } from '../paged-table'
import { SelectionHead } from '../selection-head'
import type { Selection } from '../use-selection'
import { type Removal, RemoveConfirm } from './remove-confirm'
import { rowLayout } from './row-layout'
import { WaitlistRow } from './waitlist-row'

interface WaitlistTableProps {
  ref: Ref<HTMLTableElement>
  /** The rows as they were loaded, a page at a time; whether there are more. */
  pages: readonly WaitlistUser[][]
  more: boolean
  loading: boolean
  /** Of the rows that are pending. */
  selection: Selection<WaitlistUser>
  /** An approval of the selected is under way. */
  busy: boolean
  onApprove: () => void
}

const titles = ['Select', 'Email', 'Status', 'Source', 'Joined', 'Actions'] as const

function countOf(count: number, more: boolean): string {
  const entries = `${whole(count)} ${count === 1 ? 'entry' : 'entries'}`
  return more ? `The first ${entries}` : entries
}

/** The entries, and what can be done with those that are selected. */
export function WaitlistTable(props: WaitlistTableProps) {
  const { ref, pages, more, loading, selection, busy, onApprove } = props
  const count = pages.reduce((sum, page) => sum + page.length, 0)
  const pending = pages.some((page) => page.some((entry) => entry.status === 'pending'))
  const { ids, toggle } = selection
  const [decide] = useDecideWaitlistUserMutation()
  const [removal, setRemoval] = useState<Removal | null>(null)
  const draw = useCallback(
    (entry: WaitlistUser) => (
      <WaitlistRow
        key={entry.id}
        entry={entry}
        selected={ids.has(entry.id)}
        resting={busy}
        onSelect={toggle}
        decide={decide}
        onRemove={setRemoval}
      />
    ),
    [ids, busy, toggle, decide, setRemoval],
  )
  return (
    <Box>
      <SelectionHead
        outdent
        selection={selection}
        allLabel="Select all pending entries shown"
        selectable={pending}
        busy={busy}
        count={loading ? 'Loading the waitlist...' : countOf(count, more)}
        actionsLabel="Change the selected entries"
        actions={
          <Button size="sm" variant="outline" disabled={busy} onClick={onApprove}>
            {busy ? 'Approving...' : 'Approve selected'}
          </Button>
        }
      >
        {null}
      </SelectionHead>
      <PagedTable
        ref={ref}
        caption="Waitlist"
        layout={rowLayout}
        titles={titles}
        unseen={['Select', 'Actions']}
        headTop="3.5rem"
        pages={pages}
        loading={loading}
      >
        {draw}
      </PagedTable>
      <RemoveConfirm removal={removal} onClose={() => setRemoval(null)} />
    </Box>
  )
}
