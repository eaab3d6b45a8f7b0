import { Alert } from '@/components/app/alert'
import type { MailTrouble as Trouble } from '@/lib/api/types'
import { formatDateTime } from '@/lib/dates'
import { lookup } from '@/lib/lookup'

const texts: Record<Trouble['state'], string> = {
  bounced: 'Emails to this customer do not arrive: one bounced',
  given_up: 'The last email to this customer could not be sent',
  complained: 'This customer has marked an email as spam. Emails about tickets are still sent',
  unsubscribed: 'This customer has unsubscribed. Emails about tickets are still sent',
}

/** Why the customer may not read the answer in their mailbox. It is in their profile, too. */
export function MailTrouble({ trouble }: { trouble: Trouble }) {
  const details = [trouble.reason, formatDateTime(trouble.at)].filter(Boolean).join(', ')
  return (
    <Alert problem="mail_trouble">
      {lookup(texts, trouble.state) ?? 'Emails to this customer do not arrive'} ({details}).
    </Alert>
  )
}
