import { Box, Button, Flex, Text } from '@chakra-ui/react'
import { useEffect, useState } from 'react'
import { toastError } from '@/components/app/toast'
import { problemText } from '@/lib/api/problem'
import type { WaitlistUser } from '@/lib/api/types'
import {
  useGetWaitlistUsersInfiniteQuery,
  type WaitlistFilter,
  waitlistParams,
} from '@/lib/api/waitlist-api'
import { BulkResult } from '../bulk-result'
import { EmptyList } from '../empty-list'
import { ExportButton } from '../export-button'
import { LoadMore } from '../load-more'
import { narrowPages } from '../narrow-pages'
import { useSelection } from '../use-selection'
import { AddForm } from './add-form'
import { BulkConfirm } from './bulk-confirm'
import { FilterBar } from './filter-bar'
import { ImportDialog } from './import-dialog'
import { bulkReport, useBulkApprove } from './use-bulk-approve'
import { useWaitlistFilter } from './use-waitlist-filter'
import { WaitlistTable } from './waitlist-table'

function narrow(pages: WaitlistUser[][], { status, search }: WaitlistFilter): WaitlistUser[][] {
  const text = search.trim().toLowerCase()
  return narrowPages(
    pages,
    (entry) => (!status || entry.status === status) && entry.email.includes(text),
  )
}

/** The waitlist: find, add, approve and remove; many at once, and from and into files. */
export function WaitlistView() {
  const filter = useWaitlistFilter()
  const list = useGetWaitlistUsersInfiniteQuery(filter.asked, { refetchOnMountOrArgChange: true })
  const { error } = list
  const [asking, setAsking] = useState(false)
  const [importing, setImporting] = useState(false)

  useEffect(() => {
    if (!error) return
    toastError(
      problemText(error, 'Failed to fetch waitlist users', 'Failed to load waitlist users'),
    )
  }, [error])

  const pages = narrow(list.data?.pages.map((page) => page.data) ?? [], filter.typed)
  const pending = pages.flat().filter((entry) => entry.status === 'pending')
  const selection = useSelection(pending, JSON.stringify(filter.typed))
  const bulk = useBulkApprove(selection)
  const filtered = filter.typed.status !== '' || filter.typed.search !== ''
  const waiting = list.isLoading || ((list.isFetching || filter.settling) && pages.length === 0)

  return (
    <Flex direction="column" gap="5">
      <Flex wrap="wrap" align="center" justify="space-between" gap="3">
        <Box flex="1 1 20rem">
          <AddForm />
        </Box>
        <Flex wrap="wrap" gap="3">
          <Button variant="outline" onClick={() => setImporting(true)}>
            Import CSV
          </Button>
          <ExportButton
            size="md"
            what="waitlist users"
            route="export-waitlist-users"
            params={waitlistParams(filter.asked)}
            fallbackName="waitlist.csv"
          />
        </Flex>
      </Flex>
      <FilterBar
        filter={filter}
        refreshing={list.isFetching}
        onRefresh={() => void list.refetch()}
      />
      {bulk.outcome && <BulkResult {...bulkReport(bulk.outcome)} onDismiss={bulk.dismiss} />}
      {pages.length > 0 || waiting ? (
        <WaitlistTable
          pages={pages}
          more={list.hasNextPage}
          loading={waiting}
          selection={selection}
          busy={bulk.busy}
          onApprove={() => setAsking(true)}
        />
      ) : error ? (
        <Text color="muted">The waitlist could not be loaded.</Text>
      ) : (
        <EmptyList onClear={filtered ? filter.clear : undefined}>
          No waitlist users found. Click &quot;Refresh&quot; to load users.
        </EmptyList>
      )}
      <LoadMore list={list} />
      <BulkConfirm
        open={asking}
        count={selection.selected.length}
        onConfirm={() => void bulk.apply()}
        onClose={() => setAsking(false)}
      />
      <ImportDialog open={importing} onClose={() => setImporting(false)} />
    </Flex>
  )
}
