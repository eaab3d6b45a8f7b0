import { Button } from '@/components/button'
import { whole } from '@/lib/numbers'
import styles from './waitlist-view.module.css'

interface UndeliveredProps {
  /** How many approval emails and reminders of the whole list were not delivered. */
  count: number
  /** Whether only their entries are shown. */
  only: boolean
  onChange: (only: boolean) => void
}

/** Tells of emails that did not arrive, and narrows the list to them. */
export function Undelivered({ count, only, onChange }: UndeliveredProps) {
  if (count === 0 && !only) return null
  const emails = count === 1 ? '1 invitation email was' : `${whole(count)} invitation emails were`
  return (
    <div role="status" className={styles.undelivered}>
      {emails} not delivered.
      <Button
        variant="secondary"
        size="dense"
        data-event="show_undelivered"
        onClick={() => onChange(!only)}
      >
        {only ? 'Show all entries' : 'Show them'}
      </Button>
    </div>
  )
}
