import { memo, useMemo } from 'react'
import { useTurns } from '@/components/app/use-turns'
import type { AuditEntry } from '@/lib/api/types'
import { groupsOf } from '../groups-of'
import { AuditRow } from './audit-row'

/** Room for an entry before it has been drawn. */
const ROW_REM = 7

interface EntriesProps {
  entries: readonly AuditEntry[]
}

/** What was loaded at once, drawn in parts: a person may not be kept waiting for all of it. */
export const AuditPage = memo(function AuditPage({ entries }: EntriesProps) {
  const groups = useMemo(() => groupsOf(entries), [entries])
  const shown = useTurns(groups.length)
  return groups.slice(0, shown).map((group, at) => <Group key={at} entries={group} />)
})

const Group = memo(function Group({ entries }: EntriesProps) {
  const size = `auto ${entries.length * ROW_REM}rem`
  return (
    <div style={{ contentVisibility: 'auto', containIntrinsicBlockSize: size }}>
      {entries.map((entry) => (
        <AuditRow key={entry.id} entry={entry} />
      ))}
    </div>
  )
})
