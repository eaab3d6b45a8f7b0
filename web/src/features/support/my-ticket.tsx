import { useState } from 'react'
import { lazyPart } from '@/components/app/lazy-part'
import { LoadingStatus } from '@/components/app/loading-status'
import { Skeleton } from '@/components/app/skeleton'
import { TicketBadge } from '@/components/app/tickets/badges'
import type { MyTicket as Ticket } from '@/lib/api/types'
import { formatDateTime } from '@/lib/dates'
import styles from './my-tickets.module.css'

const Conversation = lazyPart(() => import('./conversation').then((m) => m.Conversation), {
  loading: () => (
    <div className={styles.loading}>
      <LoadingStatus>Loading the conversation...</LoadingStatus>
      <Skeleton height="4rem" />
    </div>
  ),
})

/** One ticket of the person's own: closed a line, open its thread and a way to reply. */
export function MyTicket({ ticket }: { ticket: Ticket }) {
  const { ticket_id, subject, message, status, updated_at } = ticket
  const [opened, setOpened] = useState(false)
  return (
    <li className={styles.ticket}>
      <details onToggle={() => setOpened(true)}>
        <summary className={styles.summary}>
          <div className={styles.words}>
            <p className={styles.subject}>
              <bdi>{subject ?? message.slice(0, 200)}</bdi>
            </p>
            <p className={styles.facts}>
              {ticket_id} · {formatDateTime(updated_at)}
            </p>
          </div>
          <div className={styles.status}>
            <TicketBadge status={status} />
          </div>
        </summary>
        {opened && <Conversation ticket={ticket} />}
      </details>
    </li>
  )
}
