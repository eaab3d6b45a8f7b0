import { memo } from 'react'
import { useTurns } from '@/components/app/use-turns'
import type { AuditEntry } from '@/lib/api/types'
import { AuditRow } from './audit-row'

/** As many entries as are drawn at once. */
const GROUP = 20

/** What was loaded at once, drawn in parts: a person may not be kept waiting for all of it. */
export const AuditPage = memo(function AuditPage({ entries }: { entries: readonly AuditEntry[] }) {
  const shown = useTurns(Math.ceil(entries.length / GROUP))
  return entries.slice(0, shown * GROUP).map((entry) => <AuditRow key={entry.id} entry={entry} />)
})
