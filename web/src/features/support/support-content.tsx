import Link from 'next/link'
import { useEffect, useRef } from 'react'
import { Button, buttonClass } from '@/components/button'
import { paths } from '@/config/paths'
import type { Ticket } from '@/lib/api/types'
import styles from './form.module.css'
import { SupportForm } from './support-form'

interface SupportContentProps {
  person: { id: string; email: string }
  /** The ticket that has just been filed. */
  filed: Ticket | null
  onFiled: (ticket: Ticket) => void
  onDone: () => void
  onSignIn: () => void
}

/** The form, and once it has been sent the ticket's number. */
export function SupportContent({ filed, onDone, ...form }: SupportContentProps) {
  return filed ? <Filed ticket={filed} onDone={onDone} /> : <SupportForm {...form} />
}

function Filed({ ticket, onDone }: { ticket: Ticket; onDone: () => void }) {
  const heading = useRef<HTMLHeadingElement>(null)
  // The form has gone, with the button that was pressed.
  useEffect(() => heading.current?.focus(), [])
  return (
    <div role="status" className={styles.filed}>
      <h3 ref={heading} tabIndex={-1}>
        We have your message
      </h3>
      <p>
        Your ticket is <strong>{ticket.ticket_id}</strong>. We reply by email to{' '}
        <bdi dir="ltr">{ticket.user_email}</bdi>, and in your profile.
      </p>
      <div className={styles.actions}>
        <Button data-event="close_support" onClick={onDone}>
          Done
        </Button>
        <Link
          href={`${paths.profile}#my-tickets`}
          className={buttonClass({ variant: 'secondary' })}
          data-event="see_tickets"
          onClick={onDone}
        >
          See my tickets
        </Link>
      </div>
    </div>
  )
}
