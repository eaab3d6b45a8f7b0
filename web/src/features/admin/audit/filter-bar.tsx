import { Button, chakra, Flex, Input } from '@chakra-ui/react'
import { useState } from 'react'
import { Select } from '@/components/app/select'
import { MAX_SEARCH } from '../search-text'
import { actionNames, isDay, parseView } from './audit-filter'
import type { useAuditView } from './use-audit-view'

interface FilterBarProps {
  log: ReturnType<typeof useAuditView>
  refreshing: boolean
  onRefresh: () => void
}

/** Search, action, the first and the last day, and Refresh. */
export function FilterBar({ log, refreshing, onRefresh }: FilterBarProps) {
  const { view, filter } = log
  return (
    <Flex role="search" aria-label="Audit log" wrap="wrap" align="end" gap="3">
      <Input
        type="search"
        flex="1 1 14rem"
        width="auto"
        aria-label="Search the audit log"
        placeholder="Search people and things..."
        maxLength={MAX_SEARCH}
        value={log.search}
        onChange={(event) => log.type(event.target.value)}
      />
      <Select
        flex="1 0 9rem"
        maxW={{ md: '14rem' }}
        aria-label="Action"
        value={view.action}
        onChange={(event) =>
          filter({ action: parseView(new URLSearchParams({ action: event.target.value })).action })
        }
      >
        <option value="">All actions</option>
        {Object.entries(actionNames).map(([action, name]) => (
          <option key={action} value={action}>
            {name}
          </option>
        ))}
      </Select>
      <Day label="From" value={view.from} max={view.to} onChange={(from) => filter({ from })} />
      <Day label="To" value={view.to} min={view.from} onChange={(to) => filter({ to })} />
      <Button variant="outline" disabled={refreshing} onClick={onRefresh}>
        Refresh
      </Button>
    </Flex>
  )
}

interface DayProps {
  label: string
  value: string
  min?: string
  max?: string
  onChange: (day: string) => void
}

/** A year that is typed is 0002, 0020 and 0202 first: the field keeps these to itself. */
function Day({ label, value, onChange, min, max }: DayProps) {
  const [typed, setTyped] = useState({ over: value, text: value })
  const change = (text: string) => {
    setTyped({ over: value, text })
    if (text === '' || isDay(text)) onChange(text)
  }
  return (
    <chakra.label
      display="flex"
      flex={{ base: '1 1 100%', sm: '0 1 auto' }}
      alignItems="center"
      gap="2"
      color="muted"
      fontSize="sm"
    >
      <chakra.span minW={{ base: '2.5rem', md: 0 }}>{label}</chakra.span>
      <Input
        type="date"
        flex={{ base: 1, sm: 'none' }}
        width="auto"
        value={typed.over === value ? typed.text : value}
        min={min || undefined}
        max={max || undefined}
        onChange={(event) => change(event.target.value)}
      />
    </chakra.label>
  )
}
