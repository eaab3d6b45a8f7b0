import { Button, Flex, Input } from '@chakra-ui/react'
import { Select } from '@/components/app/select'
import { statuses, type useWaitlistFilter } from './use-waitlist-filter'

interface FilterBarProps {
  filter: ReturnType<typeof useWaitlistFilter>
  refreshing: boolean
  onRefresh: () => void
}

const capitalised = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

/** Search, status and Refresh. */
export function FilterBar({ filter, refreshing, onRefresh }: FilterBarProps) {
  return (
    <Flex role="search" wrap="wrap" gap="3">
      <Input
        type="search"
        flex="1 1 16rem"
        width="auto"
        aria-label="Search the waitlist"
        placeholder="Search by e-mail..."
        value={filter.typed.search}
        onChange={(event) => filter.setSearch(event.target.value)}
      />
      <Select
        flex="1 0 9rem"
        maxW={{ md: '12rem' }}
        aria-label="Status"
        value={filter.typed.status}
        onChange={(event) => filter.setStatus(event.target.value)}
      >
        <option value="">All statuses</option>
        {statuses.map((status) => (
          <option key={status} value={status}>
            {capitalised(status)}
          </option>
        ))}
      </Select>
      <Button variant="outline" disabled={refreshing} onClick={onRefresh}>
        Refresh
      </Button>
    </Flex>
  )
}
