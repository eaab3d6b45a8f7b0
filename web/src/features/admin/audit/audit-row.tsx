import type { AuditEntry } from '@/lib/api/types'
import { formatDateTime } from '@/lib/dates'
import { lookup } from '@/lib/lookup'
import { spaced } from '@/lib/words'
import { type Change, changesOf } from '../changes'
import { actionWords } from './audit-filter'
import { PersonLink } from '../people/person-link'
import styles from './audit-row.module.css'

/** One action of staff: who did what, what it changed, and from where. */
export function AuditRow({ entry }: { entry: AuditEntry }) {
  const words = lookup(actionWords, entry.action) ?? spaced(entry.action)
  return (
    <div role="listitem" className={styles.row}>
      <time dateTime={entry.at} className={styles.at}>
        {formatDateTime(entry.at)}
      </time>
      <div className={styles.entry}>
        <p className={styles.sentence}>
          <strong>
            <bdi dir="ltr">{entry.actor_email}</bdi>
          </strong>{' '}
          {words}{' '}
          <strong>
            <Subject entry={entry} />
          </strong>
        </p>
        {entry.reason && (
          <p className={styles.reason}>
            Reason: <bdi>{entry.reason}</bdi>
          </p>
        )}
        <Changes changes={changesOf(entry.before, entry.after)} />
        <Origin entry={entry} />
      </div>
    </div>
  )
}

/** People whom something was done to have a page: those of an address, and accounts that are named by id alone. */
function Subject({ entry: { action, subject, subject_label } }: { entry: AuditEntry }) {
  const text = <bdi dir="ltr">{subject_label || subject}</bdi>
  const account = /^(user|credits|account)\./.test(action)
  const person = account ? subject : subject_label.includes('@') ? subject_label : ''
  return person ? <PersonLink person={person}>{text}</PersonLink> : text
}

function Changes({ changes }: { changes: Change[] }) {
  if (changes.length === 0) return null
  return (
    <ul role="list" aria-label="Changes" className={styles.changes}>
      {changes.map(({ name, from, to }) => (
        <li key={name}>
          {name}: {from !== null && <del>{from}</del>} {to !== null && <ins>{to}</ins>}
        </li>
      ))}
    </ul>
  )
}

function Origin({ entry }: { entry: AuditEntry }) {
  return (
    <details className={styles.origin}>
      <summary className={styles.address}>From {entry.client_ip || 'an unknown address'}</summary>
      <p className={styles.agent}>
        {entry.user_agent || 'Unknown program'} · request {entry.request_id || 'unknown'}
      </p>
    </details>
  )
}
