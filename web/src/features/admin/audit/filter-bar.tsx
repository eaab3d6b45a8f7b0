import { Flex } from '@chakra-ui/react'
import { useState } from 'react'
import type { AuditAction } from '@/lib/api/types'
import { ChoiceField, DayField, FilterBar, SearchField } from '../filter-bar'
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
        placeholder="Search people and things..."
        value={log.search}
        onType={log.type}
      />
      <ChoiceField
        label="Action"
        all="All actions"
        values={actions}
        nameOf={(action) => actionNames[action as AuditAction]}
        value={view.action}
        onChoose={(value) => filter({ action: oneOf(actions, value) })}
      />
      <Flex wrap="wrap" gap="3" flex={{ base: '1 1 100%', sm: '0 1 auto' }}>
        <Day label="From" value={view.from} max={view.to} onChange={(from) => filter({ from })} />
        <Day label="To" value={view.to} min={view.from} onChange={(to) => filter({ to })} />
      </Flex>
    </FilterBar>
  )
}

/** A date field that holds back partly typed years: 2026 is typed as 0002, 0020 and 0202 first. */
function Day({ value, onChange, ...field }: Parameters<typeof DayField>[0]) {
  const [draft, setDraft] = useState({ base: value, text: value })
  const change = (text: string) => {
    setDraft({ base: value, text })
    if (text === '' || isDay(text)) onChange(text)
  }
  return <DayField {...field} value={draft.base === value ? draft.text : value} onChange={change} />
}
