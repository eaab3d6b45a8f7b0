import { Box, Flex } from '@chakra-ui/react'
import { useRef } from 'react'
import { ExportButton } from '@/features/session/export-button'
import { LoadFailure } from '@/components/app/load-failure'
import { LoadMore } from '@/components/app/load-more'
import { LoadingStatus } from '@/components/app/loading-status'
import { Skeleton } from '@/components/app/skeleton'
import { useGetCreditHistoryInfiniteQuery } from '@/lib/api/billing-api'
import { retryLoading } from '@/lib/api/retry-loading'
import { EntryList } from './entry-list'
import { SpendingChart } from './spending-chart'

/** The month at a glance, then every entry. */
export function History() {
  const history = useGetCreditHistoryInfiniteQuery(undefined, { refetchOnMountOrArgChange: true })
  const { data, error, isFetching } = history
  const entries = data?.pages.flatMap((page) => page.data) ?? []
  const list = useRef<HTMLOListElement>(null)

  return (
    <>
      {!data && !error && <HistorySkeleton />}
      {data && (
        <Flex direction="column" gap="6">
          <SpendingChart days={data.pages[0]?.days ?? []} />
          <EntryList ref={list} entries={entries} />
          {entries.length > 0 && (
            <Box>
              <ExportButton
                what="credit history"
                route="export-credit-history"
                params={{}}
                fallbackName="credit-history.csv"
                hint="All entries, as a CSV file"
              />
            </Box>
          )}
          <LoadMore list={history} listRef={list} />
        </Flex>
      )}
      {error && (
        <LoadFailure
          error={error}
          message="Your credit history could not be loaded."
          retrying={isFetching}
          onRetry={() => retryLoading(history)}
        />
      )}
    </>
  )
}

function HistorySkeleton() {
  return (
    <>
      <LoadingStatus>Loading your credit history...</LoadingStatus>
      <Flex aria-hidden direction="column" gap="4">
        <Skeleton height="1.5rem" width="9rem" />
        <Skeleton height="8rem" />
        {[0, 1, 2, 3].map((row) => (
          <Skeleton key={row} height="2.5rem" />
        ))}
      </Flex>
    </>
  )
}
