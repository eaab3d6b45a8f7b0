import { Box, Flex } from '@chakra-ui/react'
import { useRef } from 'react'
import { Alert } from '@/components/app/alert'
import { LoadMore } from '@/components/app/load-more'
import { Skeleton } from '@/components/app/skeleton'
import { useGetAuditLogInfiniteQuery } from '@/lib/api/admin-api'
import { problemText } from '@/lib/api/problem'
import { EmptyList } from '../empty-list'
import { AuditPage } from './audit-page'
import { filterOf } from './audit-filter'
import { AuditFilterBar } from './filter-bar'
import { useAuditView } from './use-audit-view'

const SKELETON_ROWS = 6

/** Everything that members of staff changed, newest first. */
export function AuditView() {
  const log = useAuditView()
  const { view } = log
  const list = useGetAuditLogInfiniteQuery(filterOf(view), { refetchOnMountOrArgChange: true })
  const rows = useRef<HTMLDivElement>(null)
  const data = list.currentData
  const pages = data?.pages.filter((page) => page.data.length > 0) ?? []
  const filtered = Object.values(view).some((value) => value !== '')

  return (
    <Flex direction="column" gap="5">
      <AuditFilterBar
        log={log}
        refreshing={list.isFetching}
        onRefresh={() => void list.refetch()}
      />
      {list.error && <Alert>{problemText(list.error, 'Failed to fetch the audit log')}</Alert>}
      {pages.length > 0 && (
        <Box
          ref={rows}
          tabIndex={-1}
          role="list"
          aria-label="Audit log"
          borderTop="1px solid {colors.line}"
        >
          {pages.map((page, index) => (
            <AuditPage key={index} entries={page.data} />
          ))}
        </Box>
      )}
      {!data && !list.error && <SkeletonRows />}
      {data && pages.length === 0 && (
        <EmptyList onClear={filtered ? log.clear : undefined}>
          {filtered ? 'Nothing in the log matches your filters.' : 'No staff activity yet.'}
        </EmptyList>
      )}
      <LoadMore list={list} grows={rows} />
    </Flex>
  )
}

function SkeletonRows() {
  return (
    <Flex direction="column" gap="5" role="status" aria-label="Loading the audit log">
      {Array.from({ length: SKELETON_ROWS }, (_, row) => (
        <Skeleton key={row} height="2.75rem" />
      ))}
    </Flex>
  )
}
