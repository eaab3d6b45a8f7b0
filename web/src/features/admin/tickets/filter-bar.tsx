import { Button, Flex, Input } from '@chakra-ui/react'
import type { Ref } from 'react'
import { Hint } from '@/components/app/hint'
import { Select } from '@/components/app/select'
import {
  ticketCategories,
  ticketPriorities,
  ticketStatuses,
  titled,
} from '@/components/app/tickets/words'
import { MAX_SEARCH } from '../search-text'
import type { useTicketView } from './use-ticket-view'

interface FilterBarProps {
  tickets: ReturnType<typeof useTicketView>
  searchBox: Ref<HTMLInputElement>
  refreshing: boolean
  onRefresh: () => void
}

const choices = [
  { name: 'status', all: 'All statuses', values: ticketStatuses },
  { name: 'category', all: 'All categories', values: ticketCategories },
  { name: 'priority', all: 'All priorities', values: ticketPriorities },
] as const

/** Search, status, category, priority and Refresh. */
export function FilterBar({ tickets, searchBox, refreshing, onRefresh }: FilterBarProps) {
  return (
    <Flex role="search" aria-label="Tickets" wrap="wrap" gap="3">
      <Hint text="Search" keys="/">
        <Input
          ref={searchBox}
          type="search"
          flex={{ base: '1 1 100%', lg: '1 1 14rem' }}
          width="auto"
          aria-label="Search tickets"
          aria-keyshortcuts="/"
          placeholder="Search tickets..."
          maxLength={MAX_SEARCH}
          value={tickets.search}
          onChange={(event) => tickets.type(event.target.value)}
        />
      </Hint>
      {choices.map(({ name, all, values }) => (
        <Select
          key={name}
          flex="1 1 9rem"
          minW={0}
          maxW={{ md: '12rem' }}
          aria-label={titled(name)}
          value={tickets.view[name]}
          onChange={(event) => tickets.filter({ [name]: event.target.value })}
        >
          <option value="">{all}</option>
          {values.map((value) => (
            <option key={value} value={value}>
              {titled(value)}
            </option>
          ))}
        </Select>
      ))}
      <Button variant="outline" disabled={refreshing} onClick={onRefresh}>
        Refresh
      </Button>
    </Flex>
  )
}
