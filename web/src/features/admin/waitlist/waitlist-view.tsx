import { Box, Button, Flex, Text } from '@chakra-ui/react'
import { useEffect, useRef, useState } from 'react'
import { LoadMore } from '@/components/app/load-more'
import { toastError } from '@/components/app/toast'
import { problemText } from '@/lib/api/problem'
import { useGetWaitlistUsersInfiniteQuery, waitlistParams } from '@/lib/api/waitlist-api'
import { BulkResult } from '../bulk-result'
import { EmptyList } from '../empty-list'
import { ExportButton } from '../export-button'
import { ChoiceField, FilterBar, SearchField } from '../filter-bar'
import { useListFilter } from '../use-list-filter'
import { useSelection } from '../use-selection'
import { AddForm } from './add-form'
import { BulkConfirm } from './bulk-confirm'
import { ImportDialog } from './import-dialog'
import { bulkReport, useBulkApprove } from './use-bulk-approve'
import { narrow, statuses } from './waitlist-filter'
import { WaitlistTable } from './waitlist-table'

/** The waitlist: find, add, approve and remove; many at once, and from and into files. */
export function WaitlistView() {
  const filter = useListFilter('status', statuses)
  const list = useGetWaitlistUsersInfiniteQuery(filter.asked, { refetchOnMountOrArgChange: true })
  const { error } = list
  const table = useRef<HTMLTableElement>(null)
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
        label="Waitlist"
        refreshing={list.isFetching}
        onRefresh={() => void list.refetch()}
      >
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
      {bulk.outcome && <BulkResult {...bulkReport(bulk.outcome)} onDismiss={bulk.dismiss} />}
      {pages.length > 0 || waiting ? (
        <WaitlistTable
          ref={table}
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
        <EmptyList onClear={filter.filtered ? filter.clear : undefined}>
          No waitlist users found. Click &quot;Refresh&quot; to load users.
        </EmptyList>
      )}
      <LoadMore list={list} grows={table} />
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
