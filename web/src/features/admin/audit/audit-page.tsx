import { memo } from 'react'
import { useTurns } from '@/components/app/use-turns'
import type { AuditEntry } from '@/lib/api/types'
import { AuditRow } from './audit-row'

/** As many entries as are drawn at once, and laid out at once when they come near the viewport. */
const GROUP = 20
const ROW_REM = 7

/** What was loaded at once, drawn in parts: a person may not be kept waiting for all of it. */
export const AuditPage = memo(function AuditPage({ entries }: { entries: readonly AuditEntry[] }) {
  const count = Math.ceil(entries.length / GROUP)
  const shown = useTurns(count)
  return Array.from({ length: Math.min(shown, count) }, (_, at) => (
    <Group key={at} entries={entries.slice(at * GROUP, (at + 1) * GROUP)} />
  ))
})

function Group({ entries }: { entries: readonly AuditEntry[] }) {
  const size = `auto ${entries.length * ROW_REM}rem`
  return (
    <div style={{ contentVisibility: 'auto', containIntrinsicBlockSize: size }}>
      {entries.map((entry) => (
        <AuditRow key={entry.id} entry={entry} />
      ))}
    </div>
  )
}
