import { useEffect, useMemo, useRef, useState } from 'react'
import { LoadMore } from '@/components/app/load-more'
import { PartBoundary } from '@/components/app/part-boundary'
import { toastError } from '@/components/app/toast'
import { Button } from '@/components/button'
import { problemText } from '@/lib/api/problem'
import { useGetWaitlistUsersInfiniteQuery, waitlistParams } from '@/lib/api/waitlist-api'
import { whole } from '@/lib/numbers'
import { BulkReport } from '../bulk-report'
import { EmptyList } from '../empty-list'
import { ExportButton } from '@/features/session/export-button'
import { ChoiceField, FilterBar, SearchField } from '../filter-bar'
import list from '../list.module.css'
import { MailsButton } from '../mails/mails-button'
import { type Question, QuestionDialog } from '../question'
import { useIsAdmin } from '../staff-role'
import { StillTrying } from '@/components/app/still-trying'
import { useListFilter } from '../use-list-filter'
import { useSelection } from '../use-selection'
import { useStaffDraft } from '../use-staff-draft'
import { AddForm } from './add-form'
import { ApproveManyDialog } from './approve-many-dialog'
import { ImportDialog } from './import-dialog'
import { useApproval } from './use-approval'
import { Unconfirmed } from './unconfirmed'
import { Undelivered } from './undelivered'
import { filterEntries, statuses } from './waitlist-filter'
import { WaitlistFactsTable, WaitlistTable } from './waitlist-table'
import { Waves } from './waves'
import styles from './waitlist-view.module.css'

/** The confirmation before many emails are sent. */
const approval = (count: number, onConfirm: () => void): Question => ({
  title: `Approve ${count === 1 ? '1 person' : `${whole(count)} people`}?`,
  text: 'Each person gets an email and can download the app at once.',
  action: 'Approve',
  onConfirm,
})

/** The waitlist: find, and, as an admin, add, approve and remove; many at once, and from and into files. */
export function WaitlistView() {
  const isAdmin = useIsAdmin()
  const filter = useListFilter('status', statuses)
  const [undelivered, setUndelivered] = useState(false)
  const asked = { ...filter.debounced, undelivered }
  const query = useGetWaitlistUsersInfiniteQuery(asked, { refetchOnMountOrArgChange: true })
  const { data, error, refetch } = query
  const table = useRef<HTMLTableElement>(null)
  const [question, setQuestion] = useState<Question | null>(null)
  const [importing, setImporting] = useState(false)
  const [approvingMany, setApprovingMany] = useStaffDraft('approving-many')

  useEffect(() => {
    if (!error) return
    toastError(
      problemText(error, 'Failed to fetch waitlist users', 'Failed to load waitlist users'),
    )
  }, [error])

  const { status } = filter.current
  // What the server has found stays: an address is also found by its Unicode form, or with the name before it.
  const found = query.currentData !== undefined && !filter.debouncing
  const search = found ? '' : filter.current.search
  const pages = useMemo(
    () =>
      filterEntries(data?.pages.map((page) => page.data) ?? [], { status, search, undelivered }),
    [data, status, search, undelivered],
  )
  const pending = useMemo(() => pages.flat().filter((entry) => entry.status === 'pending'), [pages])
  const selection = useSelection(pending, JSON.stringify([filter.current, undelivered]))
  const approving = useApproval(selection, () => void refetch({ refetchCachedPages: true }))
  const waiting = query.isLoading || ((query.isFetching || filter.debouncing) && pages.length === 0)
  // Also without a row: an approval that is under way is told of, and can be stopped, over the table.
  const tabled = pages.length > 0 || waiting || approving.progress !== null

  return (
    <div className={list.list}>
      {isAdmin && (
        <div className={styles.head}>
          <div className={styles.add}>
            <AddForm shown={asked} />
          </div>
          <div className={styles.files}>
            <Button
              variant="secondary"
              data-event="open_approve_many"
              onClick={() => setApprovingMany('yes')}
            >
              Approve many
            </Button>
            <MailsButton service="waitlist" variant="secondary" />
            <Button variant="secondary" data-event="open_import" onClick={() => setImporting(true)}>
              Import CSV
            </Button>
            <ExportButton
              size="md"
              what="waitlist users"
              route="export-waitlist-users"
              params={waitlistParams(asked)}
              fallbackName="waitlist.csv"
            />
          </div>
        </div>
      )}
      <FilterBar label="Waitlist" refreshing={query.isFetching} onRefresh={() => void refetch()}>
        <SearchField
          label="Search the waitlist"
          placeholder="Search by email..."
          value={filter.search}
          onType={filter.type}
        />
        <ChoiceField
          label="Status"
          all="All statuses"
          values={statuses}
          value={filter.chosen}
          onChoose={filter.choose}
        />
      </FilterBar>
      <Undelivered
        count={data?.pages[0]?.undelivered ?? 0}
        only={undelivered}
        onChange={setUndelivered}
      />
      <Unconfirmed count={data?.pages[0]?.unconfirmed ?? 0} />
      {isAdmin && <Waves onEnd={() => void refetch()} />}
      <BulkReport report={approving.report} onDismiss={approving.dismiss} />
      <StillTrying waiting={waiting} />
      {tabled && !isAdmin ? (
        <WaitlistFactsTable ref={table} pages={pages} more={query.hasNextPage} loading={waiting} />
      ) : tabled ? (
        <WaitlistTable
          ref={table}
          {...asked}
          pages={pages}
          more={query.hasNextPage}
          loading={waiting}
          selection={selection}
          bulk={approving}
          onApprove={() =>
            setQuestion(approval(selection.selected.length, () => void approving.approve()))
          }
          onApproveAll={() => setApprovingMany('yes')}
        />
      ) : error ? (
        <p className={list.quiet}>The waitlist could not be loaded.</p>
      ) : (
        <EmptyList
          onClear={
            filter.filtered || undelivered
              ? () => {
                  filter.clear()
                  setUndelivered(false)
                }
              : undefined
          }
        >
          No waitlist users found. Click &quot;Refresh&quot; to load users.
        </EmptyList>
      )}
      <LoadMore retries list={query} listRef={table} />
      <QuestionDialog question={question} onClose={() => setQuestion(null)} />
      {isAdmin && (
        <PartBoundary>
          <ImportDialog open={importing} onClose={() => setImporting(false)} />
        </PartBoundary>
      )}
      {isAdmin && approvingMany && (
        <PartBoundary>
          <ApproveManyDialog search={asked.search} onClose={() => setApprovingMany('')} />
        </PartBoundary>
      )}
    </div>
  )
}
