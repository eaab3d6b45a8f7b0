import { memo, useRef } from 'react'
import { Alert } from '@/components/app/alert'
import { LoadMore } from '@/components/app/load-more'
import { PartBoundary } from '@/components/app/part-boundary'
import { Skeleton } from '@/components/app/skeleton'
import { useGetAuditLogInfiniteQuery } from '@/lib/api/admin-api'
import { problemText } from '@/lib/api/problem'
import type { AuditEntry } from '@/lib/api/types'
import { EmptyList } from '../empty-list'
import list from '../list.module.css'
import { StillTrying } from '@/components/app/still-trying'
import { filterOf } from './audit-filter'
import { AuditRow } from './audit-row'
import row from './audit-row.module.css'
import { AuditFilterBar } from './filter-bar'
import { useAuditView } from './use-audit-view'

const SKELETON_ROWS = 6

/** Everything that members of staff changed, newest first. */
export function AuditView() {
  const log = useAuditView()
  const { view } = log
  const query = useGetAuditLogInfiniteQuery(filterOf(view), {
    refetchOnMountOrArgChange: true,
    refetchCachedPages: false,
  })
  const rows = useRef<HTMLDivElement>(null)
  const data = query.currentData
  const pages = data?.pages.filter((page) => page.data.length > 0) ?? []
  const filtered = Object.values(view).some((value) => value !== '')

  return (
    <div className={list.list}>
      <AuditFilterBar
        log={log}
        refreshing={query.isFetching}
        onRefresh={() => void query.refetch()}
      />
      <StillTrying waiting={!data && query.isFetching} />
      {query.error && <Alert>{problemText(query.error, 'Failed to fetch the audit log')}</Alert>}
      {pages.length > 0 && (
        <div ref={rows} tabIndex={-1} role="list" aria-label="Audit log" className={row.list}>
          {pages.map((page, index) => (
            <AuditPage key={index} entries={page.data} />
          ))}
        </div>
      )}
      {!data && !query.error && <SkeletonRows />}
      {data && pages.length === 0 && (
        <EmptyList onClear={filtered ? log.clear : undefined}>
          {filtered ? 'Nothing in the log matches your filters.' : 'No staff activity yet.'}
        </EmptyList>
      )}
      <LoadMore retries list={query} listRef={rows} />
    </div>
  )
}

/** The estimated height of an entry before it has been laid out. */
const ROW_REM = 7

/** A page of entries, laid out only near the viewport. Memoized; each entry has an error boundary. */
const AuditPage = memo(function AuditPage({ entries }: { entries: readonly AuditEntry[] }) {
  const size = `auto ${entries.length * ROW_REM}rem`
  return (
    <div className={row.page} style={{ containIntrinsicBlockSize: size }}>
      {entries.map((entry) => (
        <PartBoundary key={entry.id} resetKey={entry} fallback={<Broken />}>
          <AuditRow entry={entry} />
        </PartBoundary>
      ))}
    </div>
  )
})

function Broken() {
  return (
    <p role="listitem" className={row.row}>
      This entry could not be shown.
    </p>
  )
}

function SkeletonRows() {
  return (
    <div className={list.list} role="status" aria-label="Loading the audit log">
      {Array.from({ length: SKELETON_ROWS }, (_, row) => (
        <Skeleton key={row} height="2.75rem" />
      ))}
    </div>
  )
}
