import type { Ref } from 'react'
import {
  ticketCategories,
  ticketPriorities,
  ticketQueues,
  ticketStatuses,
} from '@/components/app/tickets/words'
import { Tooltip } from '@/components/app/tooltip'
import { Button } from '@/components/button'
import type { TicketQueue } from '@/lib/api/types'
import { titled } from '@/lib/words'
import { ChoiceField, FilterBar, SearchField } from '../filter-bar'
import type { useTicketView } from './use-ticket-view'

interface TicketFilterBarProps {
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

const queueNames: Record<string, string> = {
  waiting: 'Waiting for us',
  mine: 'Mine',
  unassigned: 'Unassigned',
}

/** Search, status, category, priority, what is to do, the order, a tag if one is chosen, and Refresh. */
export function TicketFilterBar({ tickets, searchBox, ...bar }: TicketFilterBarProps) {
  return (
    <FilterBar label="Tickets" {...bar}>
      <Tooltip text="Search" keys="/">
        <SearchField
          ref={searchBox}
          label="Search tickets"
          aria-keyshortcuts="/"
          placeholder="Search tickets..."
          value={tickets.search}
          onType={tickets.type}
        />
      </Tooltip>
      {choices.map(({ name, all, values }) => (
        <ChoiceField
          key={name}
          label={titled(name)}
          all={all}
          values={values}
          value={tickets.view[name]}
          onChoose={(value) => tickets.filter({ [name]: value })}
        />
      ))}
      <ChoiceField
        label="Queue"
        all="All queues"
        values={ticketQueues}
        nameOf={(value) => queueNames[value] ?? value}
        value={tickets.view.queue}
        onChoose={(value) => tickets.filter({ queue: value as TicketQueue | '' })}
      />
      <ChoiceField
        label="Order"
        all="Newest first"
        values={['waiting']}
        nameOf={() => 'Longest waiting first'}
        value={tickets.view.sort}
        onChoose={(value) => tickets.filter({ sort: value as 'waiting' | '' })}
      />
      {tickets.view.tag && (
        <Button
          variant="secondary"
          aria-label={`#${tickets.view.tag}: show all tags`}
          data-event="clear_tag"
          onClick={() => tickets.filter({ tag: '' })}
        >
          #{tickets.view.tag} ×
        </Button>
      )}
    </FilterBar>
  )
}
