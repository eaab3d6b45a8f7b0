import { Box, Button, Flex, Text } from '@chakra-ui/react'
import { Alert } from '@/components/app/alert'
import { Skeleton } from '@/components/app/skeleton'
import { useGetAuditLogInfiniteQuery } from '@/lib/api/admin-api'
import { problemText } from '@/lib/api/problem'
import { AuditPage } from './audit-page'
import { filterOf } from './audit-filter'
import { FilterBar } from './filter-bar'
import { useAuditView } from './use-audit-view'

const SKELETON_ROWS = 6

/** Everything that members of staff changed, newest first. */
export function AuditView() {
  const log = useAuditView()
  const { view } = log
  const list = useGetAuditLogInfiniteQuery(filterOf(view), { refetchOnMountOrArgChange: true })
  const data = list.currentData
  const pages = data?.pages.filter((page) => page.data.length > 0) ?? []
  const filtered = Object.values(view).some((value) => value !== '')

  return (
    <Flex direction="column" gap="5">
      <FilterBar log={log} refreshing={list.isFetching} onRefresh={() => void list.refetch()} />
      {list.error && <Alert>{problemText(list.error, 'Failed to fetch the audit log')}</Alert>}
      {pages.length > 0 && (
        <Box as="ol" role="list" aria-label="Audit log" borderTop="1px solid {colors.line}">
          {pages.map((page, index) => (
            <AuditPage key={index} entries={page.data} />
          ))}
        </Box>
      )}
      {!data && !list.error && <SkeletonRows />}
      {data && pages.length === 0 && <NoEntries onClear={filtered ? log.clear : undefined} />}
      {list.hasNextPage && (
        <Button
          variant="outline"
          alignSelf="center"
          disabled={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          {list.isFetchingNextPage ? 'Loading...' : 'Load more'}
        </Button>
      )}
    </Flex>
  )
}

function NoEntries({ onClear }: { onClear?: () => void }) {
  return (
    <Flex
      direction="column"
      align="center"
      gap="4"
      py="16"
      px="6"
      color="muted"
      textAlign="center"
      border="1px dashed {colors.line-strong}"
      borderRadius="lg"
    >
      <Text role="status">
        {onClear ? 'Nothing in the log matches your filters.' : 'Staff changed nothing yet.'}
      </Text>
      {onClear && (
        <Button variant="outline" size="sm" onClick={onClear}>
          Clear filters
        </Button>
      )}
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
