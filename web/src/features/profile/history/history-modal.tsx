import { Button, Flex, Text } from '@chakra-ui/react'
import { Dialog, DialogBody } from '@/components/app/dialog'
import { LoadFailure } from '@/components/app/load-failure'
import { Skeleton } from '@/components/app/skeleton'
import { useGetCreditHistoryInfiniteQuery } from '@/lib/api/billing-api'
import { EntryList } from './entry-list'
import { SpendingChart } from './spending-chart'

/** Where the credits came from and went: the month at a glance, then every entry. */
export function HistoryModal({ onClose }: { onClose: () => void }) {
  const history = useGetCreditHistoryInfiniteQuery(undefined, { refetchOnMountOrArgChange: true })
  const { data, error, isFetching, isFetchingNextPage } = history
  const entries = data?.pages.flatMap((page) => page.data) ?? []

  return (
    <Dialog open title="Credit history" size="page" onClose={onClose}>
      <DialogBody>
        {!data && !error && <HistorySkeleton />}
        {data && (
          <Flex direction="column" gap="6">
            <SpendingChart days={data.pages[0]?.days ?? []} />
            <EntryList entries={entries} />
          </Flex>
        )}
        {error && (
          <LoadFailure
            error={error}
            wordless="Your credit history could not be loaded."
            retrying={isFetching}
            onRetry={() => void (data ? history.fetchNextPage() : history.refetch())}
          />
        )}
        {history.hasNextPage && !error && (
          <Flex justify="center" mt="5">
            <Button
              variant="outline"
              disabled={isFetchingNextPage}
              onClick={() => void history.fetchNextPage()}
            >
              {isFetchingNextPage ? 'Loading...' : 'Load more'}
            </Button>
          </Flex>
        )}
      </DialogBody>
    </Dialog>
  )
}

function HistorySkeleton() {
  return (
    <>
      <Text role="status" className="visually-hidden">
        Loading your credit history...
      </Text>
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
