import { Button, Flex, Input } from '@chakra-ui/react'
import { Select } from '@/components/app/select'
import { MAX_SEARCH } from '../search-text'
import { titled } from '@/components/app/tickets/words'
import type { useUserFilter } from './use-user-filter'
import { roles } from './user-filter'

interface FilterBarProps {
  filter: ReturnType<typeof useUserFilter>
  refreshing: boolean
  onRefresh: () => void
}

/** Search, role and Refresh. */
export function FilterBar({ filter, refreshing, onRefresh }: FilterBarProps) {
  return (
    <Flex role="search" aria-label="Users" wrap="wrap" gap="3">
      <Input
        type="search"
        flex="1 1 16rem"
        width="auto"
        aria-label="Search users"
        placeholder="Search by e-mail..."
        maxLength={MAX_SEARCH}
        value={filter.typed.search}
        onChange={(event) => filter.setSearch(event.target.value)}
      />
      <Select
        flex="1 0 9rem"
        maxW={{ md: '12rem' }}
        aria-label="Role"
        value={filter.typed.role}
        onChange={(event) => filter.setRole(event.target.value)}
      >
        <option value="">All roles</option>
        {roles.map((role) => (
          <option key={role} value={role}>
            {titled(role)}
          </option>
        ))}
      </Select>
      <Button variant="outline" disabled={refreshing} onClick={onRefresh}>
        Refresh
      </Button>
    </Flex>
  )
}
