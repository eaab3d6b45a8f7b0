import { chakra, Input } from '@chakra-ui/react'
import { useState } from 'react'
import type { AuditAction } from '@/lib/api/types'
import { ChoiceField, FilterBar, SearchField } from '../filter-bar'
import { oneOf } from '../parameters'
import { actionNames, actions, isDay } from './audit-filter'
import type { useAuditView } from './use-audit-view'

interface AuditFilterBarProps {
  log: ReturnType<typeof useAuditView>
  refreshing: boolean
  onRefresh: () => void
}

/** Search, action, the first and the last day, and Refresh. */
export function AuditFilterBar({ log, ...bar }: AuditFilterBarProps) {
  const { view, filter } = log
  return (
    <FilterBar label="Audit log" {...bar}>
      <SearchField
        label="Search the audit log"
        flex="1 1 14rem"
        placeholder="Search people and things..."
        value={log.search}
        onType={log.type}
      />
      <ChoiceField
        label="Action"
        all="All actions"
        values={actions}
        nameOf={(action) => actionNames[action as AuditAction]}
        maxW={{ md: '14rem' }}
        value={view.action}
        onChoose={(value) => filter({ action: oneOf(actions, value) })}
      />
      <Day label="From" value={view.from} max={view.to} onChange={(from) => filter({ from })} />
      <Day label="To" value={view.to} min={view.from} onChange={(to) => filter({ to })} />
    </FilterBar>
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
