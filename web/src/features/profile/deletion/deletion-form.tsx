import { type FormEvent, useId, useState } from 'react'
import { Alert } from '@/components/app/alert'
import confirm from '@/components/app/confirm-dialog.module.css'
import { Input } from '@/components/app/field'
import { Button } from '@/components/button'
import { useGetCreditBalanceQuery, useGetSubscriptionQuery } from '@/lib/api/billing-api'
import { useGetMyTicketsInfiniteQuery } from '@/lib/api/support-api'
import { consequences, ticketCounts } from './consequences'
import styles from './deletion.module.css'
import type { Deletion } from './use-deletion'
import { useGrace } from './use-grace'

/** What has to be typed, in capitals or not. */
const WORD = 'DELETE'

interface DeletionFormProps {
  deletion: Deletion
  onCancel: () => void
}

/** What happens to what the person has, and a word to type, so that nobody does this by mistake. */
export function DeletionForm({ deletion, onCancel }: DeletionFormProps) {
  const { busy, error } = deletion
  const id = useId()
  const [typed, setTyped] = useState('')
  const meant = typed.trim().toUpperCase() === WORD

  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (meant && !busy) void deletion.confirm()
  }

  return (
    <form name="delete_account" className={styles.form} onSubmit={submit} noValidate>
      <Consequences />
      <div>
        <label htmlFor={id} className={styles.label}>
          Type <strong translate="no">{WORD}</strong> to confirm
        </label>
        <Input
          id={id}
          autoCapitalize="characters"
          autoComplete="off"
          spellCheck={false}
          readOnly={busy}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      </div>
      {error && <Alert problem="delete_account_failed">{error}</Alert>}
      <div className={confirm.actions}>
        <Button
          variant="secondary"
          aria-disabled={busy}
          data-event="keep_account"
          onClick={onCancel}
        >
          Keep my account
        </Button>
        <Button
          type="submit"
          className={confirm.destructive}
          disabled={!meant}
          pending={busy}
          data-event="delete_account"
        >
          {busy ? 'Deleting...' : 'Delete my account'}
        </Button>
      </div>
    </form>
  )
}

/** With the person's own plan, credits and tickets as far as the page has them. */
function Consequences() {
  const { data: subscribed } = useGetSubscriptionQuery()
  const { data: balance } = useGetCreditBalanceQuery()
  const { data: tickets } = useGetMyTicketsInfiniteQuery()
  const grace = useGrace()
  const has = {
    subscription: subscribed?.subscription,
    balance,
    tickets: ticketCounts(tickets?.pages),
  }
  const steps = grace === null ? [] : consequences(has, grace)
  return (
    <dl className={styles.steps}>
      {steps.map(({ when, what }) => (
        <div key={when}>
          <dt>{when}</dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
  )
}
