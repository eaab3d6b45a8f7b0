import { Flex, Text } from '@chakra-ui/react'
import { useEffect } from 'react'
import { toastError } from '@/components/app/toaster'
import { problemText } from '@/lib/api/problem'
import type { WaitlistUser } from '@/lib/api/types'
import { useGetWaitlistUsersInfiniteQuery, type WaitlistFilter } from '@/lib/api/waitlist-api'
import { EmptyList } from '../empty-list'
import { LoadMore } from '../load-more'
import { PagedTable } from '../paged-table'
import { AddForm } from './add-form'
import { FilterBar } from './filter-bar'
import { rowLayout } from './row-layout'
import { useWaitlistFilter } from './use-waitlist-filter'
import { WaitlistRow } from './waitlist-row'

const titles = ['E-mail', 'Status', 'Source', 'Joined', 'Actions'] as const

function narrow(pages: WaitlistUser[][], { status, search }: WaitlistFilter): WaitlistUser[][] {
  const text = search.trim().toLowerCase()
  const kept = pages.map((page) =>
    page.filter((entry) => (!status || entry.status === status) && entry.email.includes(text)),
  )
  return kept.filter((page) => page.length > 0)
}

/** The waitlist: find, add, approve and remove. */
export function WaitlistView() {
  const filter = useWaitlistFilter()
  const list = useGetWaitlistUsersInfiniteQuery(filter.asked, { refetchOnMountOrArgChange: true })
  const { error } = list

  useEffect(() => {
    if (!error) return
    toastError(
      problemText(error, 'Failed to fetch waitlist users', 'Failed to load waitlist users'),
    )
  }, [error])

  const pages = narrow(list.data?.pages.map((page) => page.data) ?? [], filter.typed)
  const filtered = filter.typed.status !== '' || filter.typed.search !== ''
  const waiting = list.isLoading || ((list.isFetching || filter.settling) && pages.length === 0)

  return (
    <Flex direction="column" gap="5">
      <AddForm />
      <FilterBar
        filter={filter}
        refreshing={list.isFetching}
        onRefresh={() => void list.refetch()}
      />
      {pages.length > 0 || waiting ? (
        <PagedTable
          caption="Waitlist"
          layout={rowLayout}
          titles={titles}
          unseen={['Actions']}
          pages={pages}
          loading={waiting}
        >
          {(entry) => <WaitlistRow key={entry.id} entry={entry} />}
        </PagedTable>
      ) : error ? (
        <Text color="muted">The waitlist could not be loaded.</Text>
      ) : (
        <EmptyList onClear={filtered ? filter.clear : undefined}>
          No waitlist users found. Click &quot;Refresh&quot; to load users.
        </EmptyList>
      )}
      <LoadMore list={list} />
    </Flex>
  )
}
