import type { Ticket } from '@/lib/api/types'
import { spaced } from '@/lib/words'

/**
 * What somebody else changed between the ticket that is shown and the one that the server has, each
 * as words; whatever has no words of its own is an addition to the thread.
 */
export function changesBetween(shown: Ticket, now: Ticket): string[] {
  const changes: string[] = []
  if (shown.status !== now.status) {
    changes.push(`status ${spaced(shown.status)} → ${spaced(now.status)}`)
  }
  if (shown.priority !== now.priority) {
    changes.push(`priority ${shown.priority} → ${now.priority}`)
  }
  if (shown.category !== now.category) {
    changes.push(`category ${spaced(shown.category)} → ${spaced(now.category)}`)
  }
  return changes.length > 0 ? changes : ['a new message']
}
